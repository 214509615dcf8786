/** Sends messages by calls of Email/send that are small enough for the thread that runs them, and reads them as they were sent. */
import { EmailSend, type Sending, type Sent } from '../../jmap/mail/submission/send.type.ts'
import type { AnswerOf, GivenMembers } from '../../jmap/type/method-declaration.ts'
import { charsIn } from '../../server/base/chars-in.ts'
import { SEND_ROUND_CHARS } from '../../server/base/limits.ts'
import { call, get } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { ApiError } from '../errors/api-error.ts'
import type { EmailObject } from '../schema/jmap-types.ts'
import { bodyArguments } from '../shapes/inbox-message.ts'
import { MESSAGE_PROPERTIES } from '../shapes/message.ts'
import type { Outgoing } from './outgoing.ts'

/** Messages that are sent by one call, by creation id. */
export type Round = readonly (readonly [
  creationId: string,
  { readonly outgoing: Outgoing; readonly create: GivenMembers<typeof Sending> },
])[]

/** The core's result for a message. @param sent of the call, or the error of the call */
export type MadeOf = (
  sent: AnswerOf<typeof EmailSend> | ApiError,
  creationId: string,
  outgoing: Outgoing,
) => Sent | ApiError

export interface Results {
  readonly made: ReadonlyMap<Outgoing, Sent | ApiError>
  /** The sent messages by id. The mailbox may be deleted before they are read: the message is sent nevertheless. */
  readonly emails: ReadonlyMap<string, EmailObject>
}

export function sendRounds(jmap: JmapClient, accountId: string, ready: Round, madeOf: MadeOf): Promise<Results> {
  const rounds = ready.length > 1 ? inRounds(ready) : [ready]
  return (rounds.length > 1 ? sendOneByOne : sendAtOnce)(jmap, accountId, rounds, madeOf)
}

/** Large messages come in several calls, so that the thread that writes does other work in between. */
function inRounds(ready: Round): Round[] {
  const rounds: Round[number][][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const one of ready) {
    const more = charsIn(one[1].create)
    if (chars + more > SEND_ROUND_CHARS) {
      rounds.push([])
      chars = 0
    }
    chars += more
    rounds.at(-1)!.push(one)
  }
  return rounds
}

async function sendAtOnce(
  jmap: JmapClient,
  accountId: string,
  [round = []]: readonly Round[],
  madeOf: MadeOf,
): Promise<Results> {
  if (round.length === 0) return { made: new Map(), emails: new Map() }
  const ids = round.map(([creationId]) => `#${creationId}`)
  const { sent, found } = await jmap.settle({
    sent: sendingCall(accountId, round),
    found: getMessages(accountId, ids),
  })
  return { made: allOf(round, sent, madeOf), emails: emailsOf(found) }
}

/** Answers of earlier rounds are kept with a key of the request, so they must be small: the messages are read at the end. */
async function sendOneByOne(
  jmap: JmapClient,
  accountId: string,
  rounds: readonly Round[],
  madeOf: MadeOf,
): Promise<Results> {
  const made = new Map<Outgoing, Sent | ApiError>()
  const emails = new Map<string, EmailObject>()
  for (const round of rounds) {
    const { sent } = await jmap.settle({ sent: sendingCall(accountId, round) })
    for (const [outgoing, one] of allOf(round, sent, madeOf)) made.set(outgoing, one)
  }
  for (const round of rounds) {
    const all = round.map(([, { outgoing }]) => made.get(outgoing)!)
    const ids = all.flatMap((one) => (one instanceof ApiError ? [] : [one.id]))
    if (ids.length === 0) continue
    const { found } = await jmap.settle({ found: getMessages(accountId, ids) })
    for (const [id, email] of emailsOf(found)) emails.set(id, email)
  }
  return { made, emails }
}

function sendingCall(accountId: string, round: Round) {
  const create = Object.fromEntries(round.map(([creationId, one]) => [creationId, one.create]))
  return call(EmailSend, { accountId, create })
}

function allOf(round: Round, sent: Parameters<MadeOf>[0], madeOf: MadeOf): Map<Outgoing, Sent | ApiError> {
  return new Map(round.map(([creationId, { outgoing }]) => [outgoing, madeOf(sent, creationId, outgoing)]))
}

function emailsOf(found: { readonly list: readonly EmailObject[] } | ApiError): Map<string, EmailObject> {
  return new Map(found instanceof ApiError ? [] : found.list.map((email) => [email.id, email]))
}

/** The call that reads messages as `toMessage` shows them. */
export function getMessages(accountId: string, ids: readonly string[]) {
  return get('Email', { accountId, ids, properties: MESSAGE_PROPERTIES }, bodyArguments(true))
}
