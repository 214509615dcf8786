/** The port to full-text search: words of emails in, conditions and ordered rows out. Writes go through a unit of work. */
import type { Expression, SqlBool } from 'kysely'
import type { AccountUnit, Reader } from '../ports.ts'
import type { SearchField, SearchWords } from './words.ts'

/** An email to be indexed. Its thread and its time never change. */
export interface IndexedEmail {
  readonly id: number
  readonly thread: number
  /** Epoch ms. */
  readonly receivedAt: number
  readonly words: SearchWords
}

/** What an index answers by itself. */
export type SearchTerm =
  | { readonly field: SearchField | 'text'; readonly search: string }
  /** Emails with a header field of that name, whatever its case. */
  | { readonly headerName: string }

/** One row of a list. */
export interface FoundEmail {
  readonly id: number
  readonly thread: number
}

/** What a list is narrowed to beside the terms: a condition on rows of `email`, or nothing. */
export type Narrowing = Expression<SqlBool> | null

export interface SearchIndex {
  /** Emails of one account; the more at once, the less each costs. */
  add(unit: AccountUnit, emails: readonly IndexedEmail[]): Promise<void>
  remove(unit: AccountUnit, email: number): Promise<void>
  /** Every email of an account that is in the index, for the consistency check. */
  indexed(reader: Reader, account: number): Promise<number[]>
  /**
   * A condition on `email.id`. @param each asks the index about one email after the other, which is best where the rest of a query
   * leaves few; else all that match are gathered first.
   */
  matching(account: number, term: SearchTerm, each: boolean): Expression<SqlBool>
  /** Emails that have all terms, newest first; worked out as far as it is asked for. */
  newest(reader: Reader, account: number, terms: readonly SearchTerm[], narrowing: Narrowing): FoundEmails
  count(
    reader: Reader,
    account: number,
    terms: readonly SearchTerm[],
    narrowing: Narrowing,
    what: 'emails' | 'threads',
  ): Promise<number>
}

/** A list that is read from its beginning. */
export interface FoundEmails {
  /** The next rows; fewer than `limit` at the end. */
  next(limit: number): Promise<FoundEmail[]>
}
