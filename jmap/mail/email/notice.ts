/** Letters that the server writes itself, and those that it puts into an inbox without delivery: no rules, no replies, no count of sends. */
import { randomUUID } from 'node:crypto'
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import type { EmailAddress } from '../../message/addresses.ts'
import { generateMessage } from '../../message/generate.ts'
import type { HeaderSpec } from '../../message/header-encoding.ts'
import { domainOf } from '../../message/mail-address.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { recordBlob } from '../blob/blobs.ts'
import { mailboxesByRole } from '../mailbox/counts.ts'
import { type PreparedEmail, storeEmail } from './store-email.ts'

export interface Notice {
  readonly from: string
  readonly to: string
  /** Of the recipient; absent or null: none. */
  readonly toName?: string | null
  readonly replyTo?: EmailAddress
  readonly subject: string
  readonly text: string
  /** Epoch ms. */
  readonly now: number
}

export function writeNotice({ from, to, toName = null, replyTo, subject, text, now }: Notice): Uint8Array {
  const headers: HeaderSpec[] = [
    { name: 'From', form: 'Addresses', value: [{ name: 'Posthouse', email: from }] },
    ...(replyTo === undefined ? [] : [{ name: 'Reply-To', form: 'Addresses' as const, value: [replyTo] }]),
    { name: 'To', form: 'Addresses', value: [{ name: toName, email: to }] },
    { name: 'Subject', form: 'Text', value: subject },
    { name: 'Date', form: 'Date', value: formatUTCDate(now) },
    { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domainOf(from)}`] },
    // RFC 3834 5: prevents automatic replies.
    { name: 'Auto-Submitted', form: 'Raw', value: ' auto-generated' },
  ]
  return generateMessage({ headers, body: { type: 'text/plain', content: { text } } }).bytes!
}

/** Inside a unit of work: puts a letter into the inbox. It does not check whether the mailbox is full. */
export async function storeNotice(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  notice: PreparedEmail,
  source: 'notice' | 'calendar',
): Promise<void> {
  await recordBlob(work, notice.blob)
  const inbox = (await mailboxesByRole(unit)).get('inbox')!
  await storeEmail(services, unit, notice, { mailboxes: [inbox], keywords: [], receivedAt: unit.now, source })
}
