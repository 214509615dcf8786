/** Two accounts of a core for one sequence, two clients that use them, and the model. */

import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import type { Invocation } from '../../../jmap/protocol/messages.ts'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import type { Principal } from '../../../server/base/principal.ts'
import { type Result, type TestCore, USING } from '../../support/core.ts'
import { AccountModel, type ModelMailbox, TYPES, type TypeName } from './account-model.ts'
import type { World } from './op.ts'

export interface SessionAccount {
  readonly accountId: string
  readonly number: number
  readonly address: string
  readonly identityId: string
  /** States of a type that clients got, with the version of the model; the last is the present one. */
  readonly states: Record<TypeName, { state: string; version: number }[]>
  /** Deleted ids, which are used again in requests. */
  readonly gone: string[]
}

export interface Session {
  readonly core: TestCore
  /** Two clients with their own credentials, and one that follows. */
  readonly clients: readonly Principal[]
  readonly accounts: readonly SessionAccount[]
  /** The model; each step replaces it. */
  world: World
  /** Submissions that workers hold. */
  held: QueuedSubmission[]
  /** Counts messages, so that all differ. */
  serial: number
  readonly tally: Tally
}

/** Number of actions over all sequences of a run. */
export interface Tally {
  sequences: number
  commands: Record<string, number>
  changesCalls: number
  queryChangesCalls: number
  tooManyChanges: number
  cannotCalculate: number
  refused: number
  accepted: number
  /** Reports of attempts at claimed messages. */
  reported: number
}

export function newTally(): Tally {
  return {
    sequences: 0,
    commands: {},
    changesCalls: 0,
    queryChangesCalls: 0,
    tooManyChanges: 0,
    cannotCalculate: 0,
    refused: 0,
    accepted: 0,
    reported: 0,
  }
}

/** Credentials that all sequences of a core share: creating one costs more than a sequence. */
export async function makeClients(core: TestCore): Promise<Principal[]> {
  const methods = [...createStandardRegistry().methods.values()]
  const scopes = [...new Set(methods.flatMap(({ access }) => (access ? [access.scope] : [])))]
  return [(await core.key({ scopes })).principal, (await core.key({ scopes })).principal]
}

let accountCount = 0

export async function startSession(core: TestCore, clients: readonly Principal[], tally: Tally): Promise<Session> {
  const accounts = [await makeAccount(core), await makeAccount(core)]
  const models = accounts.map(({ mailboxes, address }) => {
    const model = new AccountModel(address)
    for (const { id, name, parentId, role, sortOrder, isSubscribed } of mailboxes)
      model.mailboxes.set(id, { name, parentId, role, sortOrder, isSubscribed } as ModelMailbox)
    return model
  })
  const world = { accounts: models, now: core.clock.now(), step: 0, ids: new Set<string>() }
  const session: Session = { core, clients, accounts, world, held: [], serial: 0, tally }
  for (const number of accounts.keys()) await noteStates(session, number)
  return session
}

async function makeAccount(core: TestCore): Promise<SessionAccount & { mailboxes: Result[] }> {
  const { accountId: organizationId } = core.organization
  const create = { m: { domainId: core.domainId, localPart: `model${++accountCount}` } }
  const [made] = await core.request([['MailAccount/set', { accountId: organizationId, create }]])
  const { id: accountId, address } = (made as Result)[1].created.m
  const [mailboxes, identities] = await core.request([
    ['Mailbox/get', { accountId, ids: null }],
    ['Identity/get', { accountId, ids: null }],
  ])
  const none = Object.fromEntries(TYPES.map((type) => [type, []]))
  return {
    accountId,
    number: core.core.ids.accountNumber('mailbox', accountId)!,
    address,
    identityId: (identities as Result)[1].list[0].id,
    states: none as unknown as SessionAccount['states'],
    gone: [],
    mailboxes: (mailboxes as Result)[1].list,
  }
}

/** One request of a client, as `[name, args, callId]`. */
export async function send(
  { core }: Session,
  principal: Principal,
  methodCalls: Invocation[],
): Promise<readonly Invocation[]> {
  const response = await core.core.process(principal, { using: USING, methodCalls })
  if (!('methodResponses' in response)) throw new Error(JSON.stringify(response))
  return response.methodResponses
}

/** Calls in one request; their results by position. @throws if one of them is an error */
export async function ask(
  session: Session,
  principal: Principal,
  calls: readonly [string, Result][],
): Promise<Result[]> {
  const invocations = calls.map(([name, args], i): Invocation => [name, args, String(i)])
  const responses = await send(session, principal, invocations)
  return responses.map(([name, result], i) => {
    if (name === 'error') throw new Error(`${JSON.stringify(calls[i])} -> ${JSON.stringify(result)}`)
    return result
  })
}

/** Reads the states of an account's types, and records the version of the model for each. */
export async function noteStates(session: Session, account: number): Promise<void> {
  const { accountId, states } = session.accounts[account]!
  const results = await ask(
    session,
    session.clients[0]!,
    TYPES.map((type) => [`${type}/get`, { accountId, ids: [] }]),
  )
  for (const [i, type] of TYPES.entries()) {
    const state = results[i]!.state as string
    const version = session.world.accounts[account]!.versions[type]
    if (states[type].at(-1)?.state !== state) states[type].push({ state, version })
  }
  session.world.accounts[account]!.states = Object.fromEntries(TYPES.map((type, i) => [type, results[i]!.state]))
}
