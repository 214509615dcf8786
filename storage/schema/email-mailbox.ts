import { int, table } from './table.ts'

/** Emails of each mailbox in the order of their time. */
export const emailMailbox = table({
  name: 'email_mailbox',
  key: ['account', 'mailbox', 'received_at', 'email'],
  owner: 'account',
  partOf: 'email',
  columns: { account: int, mailbox: int, received_at: int, email: int },
})
