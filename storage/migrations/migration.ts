import type { Dialect } from '../dialect/dialect.ts'

/** A step from one schema to the next. Once released it never changes: data folders were made by it. */
export interface Migration {
  readonly number: number
  readonly name: string
  /**
   * SQL for both engines. In `create table` and `alter table` the column types are `int` (64 bits), `text` (ordered by octets) and
   * `bytes`; `clustered` after a table means that it is stored in the order of its primary key. Each engine has its own words for these.
   */
  readonly statements: readonly string[]
  /** SQL of one engine, which runs after `statements`. */
  readonly engineStatements?: { readonly [engine in Dialect['kind']]: readonly string[] }
}

/** The statements of a migration as an engine runs them. */
export function statementsOf({ statements, engineStatements }: Migration, { kind, schemaWords }: Dialect): string[] {
  const inOwnWords = (text: string) =>
    text.replaceAll(/\b(?:int|text|bytes|clustered)\b/g, (word) => schemaWords[word as keyof typeof schemaWords])
  return [
    ...statements.map((text) => (/^(create|alter) table /.test(text) ? inOwnWords(text) : text)),
    ...(engineStatements?.[kind] ?? []),
  ]
}
