/** A letter that the server writes itself. */
import { randomUUID } from 'node:crypto'
import { generateMessage } from '../message/generate.ts'
import type { HeaderSpec } from '../message/header-encoding.ts'
import { domainOf } from '../message/mail-address.ts'
import { formatUTCDate } from '../protocol/primitives.ts'

export interface Notice {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Epoch ms. */
  readonly now: number
}

export function writeNotice({ from, to, subject, text, now }: Notice): Uint8Array {
  const headers: HeaderSpec[] = [
    { name: 'From', form: 'Addresses', value: [{ name: 'Posthouse', email: from }] },
    { name: 'To', form: 'Addresses', value: [{ name: null, email: to }] },
    { name: 'Subject', form: 'Text', value: subject },
    { name: 'Date', form: 'Date', value: formatUTCDate(now) },
    { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domainOf(from)}`] },
    // RFC 3834 5: prevents automatic replies.
    { name: 'Auto-Submitted', form: 'Raw', value: ' auto-generated' },
  ]
  return generateMessage({ headers, body: { type: 'text/plain', content: { text } } }).bytes!
}
