/** A key that sets a mailbox's password can log in with it, so the mailbox gets a letter about it (decision D31). */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { addressesOf } from '../../storage/repos/directory.ts'
import { writeNotice } from '../delivery/notice.ts'
import { recordBlob } from '../mail/blob/blobs.ts'
import { emailFromMessage, type PreparedEmail, storeEmail } from '../mail/email/store-email.ts'
import { mailboxesByRole } from '../mail/mailbox/counts.ts'
import { domainOf } from '../message/mail-address.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext, Services } from '../type/context.ts'

/** Outside of the unit of work. null: there is no such mailbox. */
export async function preparePasswordNotice(method: MethodContext, account: number): Promise<PreparedEmail | null> {
  const { clock } = method.services
  const [own] = await method.read((reader) => addressesOf(reader, account))
  if (!own) return null
  const { address } = own
  const { principal } = method.request
  const who = principal.kind === 'apiKey' ? `with the API key "${principal.username}"` : 'by who runs the server'
  const text = [
    `The password of ${address} was set on ${formatUTCDate(clock.now())} ${who}.`,
    '',
    'Connections that used the old password end. Whoever knows the new one can log in and read this mailbox.',
    'If you did not expect this, ask who looks after your mail.',
    '',
  ].join('\n')
  const from = `postmaster@${domainOf(address)}`
  const subject = 'The password of this mailbox was set'
  return emailFromMessage(method.services, writeNotice({ from, to: address, subject, text, now: clock.now() }))
}

/** Inside. It does not check whether the mailbox is full. */
export async function storePasswordNotice(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  notice: PreparedEmail,
): Promise<void> {
  await recordBlob(work, notice.blob)
  const inbox = (await mailboxesByRole(unit)).get('inbox')!
  await storeEmail(services, unit, notice, { mailboxes: [inbox], keywords: [], receivedAt: unit.now, source: 'notice' })
}
