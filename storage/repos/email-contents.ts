/** Octets and structure of several emails, so that a page of emails with bodies is one query. */
import { amongNumbers } from '../among-numbers.ts'
import type { Reader } from '../ports.ts'
import { statement } from '../statement.ts'

/** What the bodies of an email are read from. */
export interface EmailContent {
  readonly id: number
  readonly structure: string
  /** Octets of the message; null: they are in the blob store. */
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
    .where(amongNumbers(db, 'email.id', p('ids'))),
)

export function findContents(reader: Reader, account: number, ids: readonly number[]): Promise<EmailContent[]> {
  return reader.sql.all(contents, { account, ids: JSON.stringify(ids) })
}
