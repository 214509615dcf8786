/**
 * The header of an outgoing message: its authors, and the rules of RFC 5322 3.6 (RFC 8621 7.5: the server checks that it is valid). A
 * header that readers could parse in different ways is refused, so that no sender can forge another (promise S5).
 */

import { MIME_MAX_HEADER_BYTES, MIME_MAX_TRACE_BYTES } from '../../../server/base/limits.ts'
import { SHOWN_ADDRESSES_MAX } from '../../../server/base/sending-limits.ts'
import { findEmail, findStructure } from '../../../storage/repos/emails.ts'
import { parseGroupedAddresses } from '../../message/addresses.ts'
import { asBuffer } from '../../message/charset.ts'
import { parseDate } from '../../message/date.ts'
import { readHeaders, unfoldedText } from '../../message/headers.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { unpackStructure } from '../../message/pack.ts'
import { type ShownAddress, shownAddresses } from '../../message/shown-addresses.ts'
import { readMailboxes } from '../../message/strict-addresses.ts'
import type { MethodContext } from '../../type/context.ts'
import { readStored } from '../blob/blobs.ts'
import { Email } from '../email/email.type.ts'

export interface Authors {
  readonly from: readonly string[]
  /** At most one, if there are no faults. */
  readonly sender: readonly string[]
  /** Of Resent-From and Resent-Sender. */
  readonly resent: readonly string[]
  /** Addresses that a reader sees in these fields, also in names and comments. */
  readonly shown: readonly ShownAddress[]
  /** Properties of the Email that violate RFC 5322. */
  readonly faults: readonly string[]
}

/** RFC 5322 3.6: fields that occur at most once, with the property for each. */
const SINGLE: { readonly [field: string]: string } = {
  from: 'from',
  sender: 'sender',
  'reply-to': 'replyTo',
  to: 'to',
  cc: 'cc',
  bcc: 'bcc',
  date: 'sentAt',
  'message-id': 'messageId',
  'in-reply-to': 'inReplyTo',
  references: 'references',
  subject: 'subject',
}

/** Fields that name authors. */
const AUTHOR_FIELDS = ['from', 'sender', 'resent-from', 'resent-sender']

/** @param bytes of the message, whole or up to the end of its header */
export function authorsIn(bytes: Uint8Array, isWhole: boolean): Authors {
  const faults = new Set<string>()
  if (!isWellFormed(bytes, isWhole)) faults.add('headers')
  const values = new Map<string, string[]>()
  for (const field of readHeaders(bytes)) {
    const name = field.name.toLowerCase()
    values.set(name, [...(values.get(name) ?? []), unfoldedText(bytes, field)])
  }
  for (const [name, property] of Object.entries(SINGLE)) {
    const [value, ...more] = values.get(name) ?? []
    if (more.length > 0 || (value !== undefined && !(VALID[name]?.(value) ?? true))) faults.add(property)
  }
  const mailboxes = (name: string) => (values.get(name) ?? []).map(readMailboxes)
  const [from, sender] = [mailboxes('from'), mailboxes('sender')]
  const resent = [...mailboxes('resent-from'), ...mailboxes('resent-sender')]
  const [authors] = from
  // RFC 5322 3.6: one From and one Date; one Sender with one address, which is required with several authors.
  if (!authors || authors.length === 0) faults.add('from')
  if (!values.has('date')) faults.add('sentAt')
  if (sender.length > 0 ? sender[0]?.length !== 1 : (authors?.length ?? 0) > 1) faults.add('sender')
  if (resent.includes(null)) faults.add('headers')
  const all = (lists: readonly (readonly string[] | null)[]) => lists.flatMap((list) => list ?? [])
  const shown = AUTHOR_FIELDS.flatMap((name) => (values.get(name) ?? []).flatMap(shownAddresses))
  if (shown.length > SHOWN_ADDRESSES_MAX) faults.add('from')
  return { from: all(from), sender: all(sender), resent: all(resent), shown, faults: [...faults] }
}

type Test = (value: string) => boolean

/** RFC 5322 3.4: at least one address or group; each address is valid. */
const isAddressList: Test = (value) => {
  const groups = parseGroupedAddresses(value)
  return groups.length > 0 && groups.every(({ addresses }) => addresses.every(({ email }) => isAddress(email)))
}

/** RFC 5321 4.1.3: an address in a header may also be an address literal. */
function isAddress(email: string): boolean {
  return normaliseAddress(email) !== null || /^[^\s@"<>]+@\[[^\s[\]\\]+\]$/.test(email)
}

const VALID: { readonly [field: string]: Test } = {
  to: isAddressList,
  cc: isAddressList,
  // RFC 5322 3.6.3: only this field may be empty.
  bcc: (value) => value === '' || isAddressList(value),
  'reply-to': isAddressList,
  date: (value) => parseDate(value) !== null,
  'message-id': (value) => /^<[^<>\s]+>$/.test(value),
}

/** RFC 5322 2.1.1, 2.2: octets of a line. */
const LINE_MAX = 998

/** Octets of a header that was accepted, with the fields that were written in front of it. */
const HEADER_MAX = MIME_MAX_HEADER_BYTES + MIME_MAX_TRACE_BYTES

/** RFC 5322 2.2: only fields and their folds up to the empty line. Where one reader sees a field, no other sees the body. */
function isWellFormed(bytes: Uint8Array, isWhole: boolean): boolean {
  const text = asBuffer(bytes).toString('latin1', 0, HEADER_MAX)
  const end = /(?:^|\n)\r?\n/.exec(text)
  // The part read as the header ended at text that is not a field.
  if (!end && (!isWhole || bytes.length > HEADER_MAX)) return false
  const header = end ? text.slice(0, end.index) : text
  if (/\r(?!\n)/.test(`${header.replace(/\r$/, '')}\n`) || header.includes('\0')) return false
  const lines = header.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines.every((line, i) => {
    if (line.length > LINE_MAX) return false
    return /^[ \t]/.test(line) ? i > 0 && line.trim() !== '' : /^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(line)
  })
}

/** Outside the transaction: reads the header of an email; null: there is no such email. */
export function readAuthors(method: MethodContext, emailId: string): Promise<Authors | null> {
  const number = method.number(Email, emailId)
  if (number === null) return Promise.resolve(null)
  const account = method.account.number
  return method.read(async (reader) => {
    const email = await findEmail(reader, account, number)
    if (!email) return null
    const structure = await findStructure(reader, account, number)
    const end = (structure && unpackStructure(JSON.parse(structure))?.parts[0]?.bodyStart) || email.size
    const bytes = await readStored(method.services.store, reader, account, email.blob, { start: 0, end })
    return bytes && authorsIn(bytes, end >= email.size)
  })
}
