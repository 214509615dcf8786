/** Composes the messages of delivery: automatic replies, and draft replies. */
import { randomUUID } from 'node:crypto'
import { ANSWER_REFERENCES_MAX } from '../../server/base/delivery-limits.ts'
import type { ReplyMode } from '../mail/inbox-rules/rule.ts'
import type { EmailAddress } from '../message/addresses.ts'
import { type BodySpec, generateMessage } from '../message/generate.ts'
import type { HeaderSpec } from '../message/header-encoding.ts'
import { domainOf } from '../message/mail-address.ts'
import type { ParsedMessage } from '../message/structure.ts'
import { formatUTCDate } from '../protocol/primitives.ts'

export interface Composition {
  readonly from: EmailAddress
  readonly to: readonly EmailAddress[]
  readonly cc?: readonly EmailAddress[]
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly answers: ParsedMessage
  readonly extra?: readonly HeaderSpec[]
  /** Epoch ms. */
  readonly now: number
}

/** null: a value cannot be written, such as an invalid address. */
export function compose(letter: Composition): Buffer | null {
  const { from, to, cc = [], subject, text, html, answers, extra = [], now } = letter
  const headers: HeaderSpec[] = [
    { name: 'From', form: 'Addresses', value: [from] },
    { name: 'To', form: 'Addresses', value: to },
    { name: 'Cc', form: 'Addresses', value: cc },
    { name: 'Subject', form: 'Text', value: subject },
    { name: 'Date', form: 'Date', value: formatUTCDate(now) },
    { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domainOf(from.email)}`] },
    ...threadHeaders(answers),
    ...extra,
  ]
  const plain: BodySpec = { type: 'text/plain', content: { text } }
  const body: BodySpec =
    html === null
      ? plain
      : { type: 'multipart/alternative', subParts: [plain, { type: 'text/html', content: { text: html } }] }
  return generateMessage({ headers, body }).bytes ?? null
}

/** RFC 5322 3.6.4 */
function threadHeaders({ messageId, references, inReplyTo }: ParsedMessage): HeaderSpec[] {
  const own = (messageId ?? []).filter(isWritable)
  if (own.length === 0) return []
  const before = (references ?? inReplyTo ?? []).filter(isWritable).slice(-ANSWER_REFERENCES_MAX)
  return [
    { name: 'In-Reply-To', form: 'MessageIds', value: own.slice(0, 1) },
    { name: 'References', form: 'MessageIds', value: [...before, ...own.slice(0, 1)] },
  ]
}

function isWritable(id: string): boolean {
  return /^[\x21-\x3b\x3d\x3f-\x7e]{1,255}$/.test(id)
}

/** RFC 5322 3.6.2: the reply goes to Reply-To, or else From; never to the mailbox itself. */
export function replyRecipients(
  { replyTo, from, to, cc }: ParsedMessage,
  mode: ReplyMode,
  isOwn: (address: string) => boolean,
): { readonly to: EmailAddress[]; readonly cc: EmailAddress[] } {
  const seen = new Set<string>()
  const fresh = (list: readonly EmailAddress[]) =>
    list.filter(({ email }) => {
      const key = email.toLowerCase()
      const isNew = email.includes('@') && !seen.has(key) && !isOwn(email)
      seen.add(key)
      return isNew
    })
  const answered = fresh(replyTo && replyTo.length > 0 ? replyTo : (from ?? []))
  return { to: answered, cc: mode === 'reply_all' ? fresh([...(to ?? []), ...(cc ?? [])]) : [] }
}
