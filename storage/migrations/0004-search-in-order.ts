import { FTS5_TABLES } from '../search/fts5.ts'
import { TSVECTOR_TABLES } from '../search/tsvector.ts'
import type { Migration } from './index.ts'

/** The search index in the order of time, with phrases of any length and the names of header fields. All emails are indexed anew. */
export const searchInOrder: Migration = ({ engine, raw }) => {
  for (const statement of engine === 'sqlite' ? FTS5_TABLES : TSVECTOR_TABLES) raw(statement)
  raw(
    'insert into email_unindexed (account, email, blob) select account, id, blob from email where true on conflict do nothing',
  )
}
