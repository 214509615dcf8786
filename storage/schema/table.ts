/**
 * How a table is declared: its columns as data, from which kysely's row type derives, and the facts from which the erasure of an
 * account, the consistency check and the sweep of blobs derive. The tables themselves are made by migrations/; a test compares the
 * declarations with the catalogs of both engines.
 *
 * Conventions: every key starts with the number of an account or organization; times are epoch milliseconds; booleans are 0 and 1;
 * JSON is text, and no query looks inside it.
 */

export interface Column<Value> {
  readonly type: 'int' | 'text' | 'bytes'
  readonly isNullable: boolean
  /** Carries the type of the values; never set. */
  readonly value?: Value
}

export const int: Column<number> = { type: 'int', isNullable: false }
export const text: Column<string> = { type: 'text', isNullable: false }
export const bytes: Column<Uint8Array> = { type: 'bytes', isNullable: false }

/** Text that is one of a few words. */
export function oneOf<const Word extends string>(..._words: readonly Word[]): Column<Word> {
  return text as Column<Word>
}

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return { ...column, isNullable: true } as Column<Value | null>
}

type Columns = { readonly [name: string]: Column<unknown> }

interface Facts<Name extends string> {
  /** Columns of the primary key. */
  readonly key: readonly Name[]
  /** Column with the number of the account whose end erases the row; null: the table belongs to no account. */
  readonly owner: Name | null
  /** Columns with numbers that an account's counter gave out; `of`: the column that names this account. */
  readonly numbers?: readonly { readonly column: Name; readonly of: Name }[]
  /** JMAP type of which the rows are the objects; `id` is their number. Other objects are in the table `object`. */
  readonly objectType?: string
  /** Table that the rows are parts of. They name their whole by `account` and a column with the name of that table. */
  readonly partOf?: string
  /** The row's `blob`, a number of the account, must stay: as long as the row is there, or as long as a column is not null. */
  readonly keepsBlob?: 'always' | { readonly whileSet: Name }
  /** Only this engine has the table. */
  readonly engine?: 'sqlite' | 'postgres'
}

export interface Table extends Facts<string> {
  readonly name: string
  readonly columns: Columns
}

/** @returns the declaration as it is, with the types of its name and columns */
export function table<const Name extends string, C extends Columns>(
  declaration: { readonly name: Name; readonly columns: C } & Facts<NoInfer<keyof C & string>>,
): Facts<string> & { readonly name: Name; readonly columns: C } {
  return declaration
}

/** A row of a table, as kysely sees it. */
export type RowOf<T extends { readonly columns: Columns }> = {
  -readonly [K in keyof T['columns']]: T['columns'][K] extends Column<infer Value> ? Value : never
}
