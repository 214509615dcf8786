import type { Sql } from '../ports.ts'
import { FTS5 } from './fts5.ts'
import type { SearchIndex } from './search-index.ts'
import { TSVECTOR } from './tsvector.ts'

/** The search index of a connection's engine. */
export function searchIndexOf(sql: Sql): SearchIndex {
  return sql.engine === 'sqlite' ? FTS5 : TSVECTOR
}
