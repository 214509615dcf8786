/** The members that everything in a mailbox has: which mailbox it is in. */
import type { OpenMailbox } from '../calls/mailbox-access.ts'
import * as s from '../schema/schema.ts'

export const mailboxFields = {
  mailbox_id: s.id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
  address: s.string({ examples: ['support@example.com'] }),
}

export function ofMailbox({ id, address }: OpenMailbox): { readonly mailbox_id: string; readonly address: string } {
  return { mailbox_id: id, address }
}
