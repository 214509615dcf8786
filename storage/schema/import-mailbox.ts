import { int, table } from './table.ts'

/** Mailboxes that an import made, for its undo. The mailbox may have been destroyed since. */
export const importMailbox = table({
  name: 'import_mailbox',
  key: ['account', 'import', 'mailbox'],
  owner: 'account',
  partOf: 'import',
  numbers: [{ column: 'mailbox', of: 'account' }],
  columns: { account: int, import: int, mailbox: int },
})
