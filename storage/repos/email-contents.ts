/** The octets of emails with their structure, several at once: a page with bodies is one query. */
import { sql } from 'kysely'
import { IN_LIST_MAX } from '../../server/base/limits.ts'
import type { Reader } from '../ports.ts'
import { statement } from '../statement.ts'

/** What bodies are made of: the structure, and the octets of a message that is small enough to be in the database. */
export interface EmailContent {
  readonly id: number
  readonly structure: string
  /** null: they are elsewhere. */
  readonly data: Uint8Array | null
}

const contents = statement<{ account: number; ids: string }>()((db, p) =>
  db
    .selectFrom('email')
    .innerJoin('account_blob as own', (join) =>
      join.onRef('own.account', '=', 'email.account').onRef('own.id', '=', 'email.blob'),
    )
    .innerJoin('blob', 'blob.hash', 'own.hash')
    .select(['email.id', 'email.structure', 'blob.data'])
    .where('email.account', '=', p('account'))
    .where('email.id', 'in', sql<number>`(select value from json_each(${p('ids')}))`),
)

/** Of several emails at once. */
export async function findContents(reader: Reader, account: number, ids: readonly number[]): Promise<EmailContent[]> {
  if (reader.sql.engine === 'sqlite') return reader.sql.all(contents, { account, ids: JSON.stringify(ids) })
  const found: EmailContent[] = []
  for (let i = 0; i < ids.length; i += IN_LIST_MAX) {
    const chunk = ids.slice(i, i + IN_LIST_MAX)
    found.push(
      ...(await reader.sql.query((db) =>
        db
          .selectFrom('email')
          .innerJoin('account_blob as own', (join) =>
            join.onRef('own.account', '=', 'email.account').onRef('own.id', '=', 'email.blob'),
          )
          .innerJoin('blob', 'blob.hash', 'own.hash')
          .select(['email.id', 'email.structure', 'blob.data'])
          .where('email.account', '=', account)
          .where('email.id', 'in', chunk),
      )),
    )
  }
  return found
}
