import { int, type RowOf, table } from './table.ts'

/** Emails that are not in the search index yet. A mark in `email` would make the engine write its long rows again. */
export const emailUnindexed = table({
  name: 'email_unindexed',
  key: ['account', 'email'],
  owner: 'account',
  partOf: 'email',
  columns: { account: int, email: int, blob: int },
})
export type EmailUnindexedTable = RowOf<typeof emailUnindexed>
