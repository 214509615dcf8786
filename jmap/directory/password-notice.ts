/** A key that sets a mailbox's password can log in with it, so the mailbox gets a letter about it (decision D31). */
import { addressesOf } from '../../storage/repos/directory.ts'
import { writeNotice } from '../mail/email/notice.ts'
import { emailFromMessage, type PreparedEmail } from '../mail/email/store-email.ts'
import { domainOf } from '../message/mail-address.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext } from '../type/context.ts'

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
