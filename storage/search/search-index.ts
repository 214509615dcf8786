/** The port to full-text search: it indexes words of emails, and returns conditions and ordered rows. Units of work write it. */
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

/** A condition that the index alone can answer. */
export type SearchTerm =
  | { readonly field: SearchField | 'text'; readonly search: string }
  /** Emails with a header field of that name, whatever its case. */
  | { readonly headerName: string }

/** One row of a list. */
export interface FoundEmail {
  readonly id: number
  readonly thread: number
}

/** A condition on rows of `email` besides the terms; null: none. */
export type Narrowing = Expression<SqlBool> | null

export interface SearchIndex {
  /** Indexes emails of one account. Several at once cost less each. */
  add(unit: AccountUnit, emails: readonly IndexedEmail[]): Promise<void>
  remove(unit: AccountUnit, email: number): Promise<void>
  /** All emails of an account that are in the index, for the consistency check. */
  indexed(reader: Reader, account: number): Promise<number[]>
  /**
   * A condition on `email.id`.
   * @param each looks up one email after the other, which is faster if the rest of the query leaves few; otherwise all matches are
   * collected first
   */
  matching(reader: Reader, account: number, term: SearchTerm, each: boolean): Expression<SqlBool>
  /** Emails that match all terms, newest first. The list is computed only as far as it is read. */
  newest(reader: Reader, account: number, terms: readonly SearchTerm[], narrowing: Narrowing): FoundEmails
  count(
    reader: Reader,
    account: number,
    terms: readonly SearchTerm[],
    narrowing: Narrowing,
    what: 'emails' | 'threads',
  ): Promise<number>
}

/** A list that is read from its start. */
export interface FoundEmails {
  /** The next rows; fewer than `limit` at the end. */
  next(limit: number): Promise<FoundEmail[]>
}
