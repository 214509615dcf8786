/** The port to full-text search: documents of emails in, a condition on email numbers out. Writes go through a unit of work. */
import type { RawBuilder } from 'kysely'
import type { AccountUnit, Reader } from '../ports.ts'

export const SEARCH_FIELDS = ['from', 'to', 'cc', 'bcc', 'subject', 'body', 'attachment'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchDocument = { readonly [F in SearchField]: string }

export interface SearchIndex {
  add(unit: AccountUnit, email: number, document: SearchDocument): Promise<void>
  remove(unit: AccountUnit, email: number): Promise<void>
  /** Every email of an account that is in the index, for the consistency check. */
  indexed(reader: Reader, account: number): Promise<number[]>
  /** A subquery of numbers of emails whose field (any field for `text`) has all that was searched for. */
  matching(account: number, field: SearchField | 'text', search: string): RawBuilder<number>
}
