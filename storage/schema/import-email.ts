import { int, table } from './table.ts'

/** Emails that an import created, for its undo. The email may have been destroyed since. */
export const importEmail = table({
  name: 'import_email',
  key: ['account', 'import', 'email'],
  owner: 'account',
  partOf: 'import',
  numbers: [{ column: 'email', of: 'account' }],
  columns: { account: int, import: int, email: int },
})
