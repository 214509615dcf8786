import { int, table } from './table.ts'

/** Numbers of the rows of SQLite's search index, which are in the order of time (storage/search/doc-numbers.ts). */
export const emailFtsDoc = table({
  name: 'email_fts_doc',
  key: ['account', 'doc'],
  owner: 'account',
  partOf: 'email',
  engine: 'sqlite',
  columns: { account: int, doc: int, email: int, thread: int, received_at: int },
})
