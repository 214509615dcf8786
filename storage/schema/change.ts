import { int, nullable, oneOf, table, text } from './table.ts'

/** The change log. It is append-only and has one sequence number per row, so that every row boundary is a valid state. */
export const change = table({
  name: 'change',
  key: ['account', 'type', 'seq'],
  owner: 'account',
  columns: {
    account: int,
    type: text,
    seq: int,
    object: int,
    /** Created, updated, destroyed. */
    kind: oneOf('c', 'u', 'd'),
    /** Comma-separated names of the changed properties; null: unknown. */
    props: nullable(text),
    at: int,
  },
})
