import { type RawBuilder, sql } from 'kysely'

/** Facts about types of objects for the check, by name. The layer above declares them. */
export interface ObjectTypes {
  /** Their objects have the number of the account that they describe, not one from the counter of their own account. */
  readonly accounts: readonly string[]
  /** The change log has changes of them, but no row holds them. */
  readonly computed: readonly string[]
  /** Clients do not see them, so that the change log has no changes of them. */
  readonly hidden: readonly string[]
}

/** Adds a condition on rows `t` of the table `object`. */
export function notIn(types: readonly string[]): RawBuilder<unknown> {
  return types.length > 0 ? sql`and t.type not in (${sql.join([...types])})` : sql``
}
