/** Octets and structure of several emails, so that a page of emails with bodies is one query. */
import { sql } from 'kysely'
import type { QueryBuilder, Reader } from '../ports.ts'
import { statement } from '../statement.ts'
import { findInSlices } from './slices.ts'

/** What the bodies of an email are read from. */
export interface EmailContent {
  readonly id: number
  readonly structure: string
  /** Octets of the message; null: they are in the blob store. */
  readonly data: Uint8Array | null
}

const contents = statement<{ account: number; ids: string }>()((db, p) =>
  withContent(db)
    .where('email.account', '=', p('account'))
    .where('email.id', 'in', sql<number>`(select value from json_each(${p('ids')}))`),
)

function withContent(db: QueryBuilder) {
  return db
    .selectFrom('email')
    .innerJoin('account_blob as own', (join) =>
      join.onRef('own.account', '=', 'email.account').onRef('own.id', '=', 'email.blob'),
    )
    .innerJoin('blob', 'blob.hash', 'own.hash')
    .select(['email.id', 'email.structure', 'blob.data'])
}

export async function findContents(reader: Reader, account: number, ids: readonly number[]): Promise<EmailContent[]> {
  if (reader.sql.engine === 'sqlite') return reader.sql.all(contents, { account, ids: JSON.stringify(ids) })
  return findInSlices(ids, (slice) =>
    reader.sql.query((db) => withContent(db).where('email.account', '=', account).where('email.id', 'in', slice)),
  )
}
