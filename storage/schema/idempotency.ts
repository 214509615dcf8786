import { int, nullable, type RowOf, table, text } from './table.ts'

/** Requests with an Idempotency-Key (decision D2). */
export const idempotency = table({
  name: 'idempotency',
  key: ['organization', 'name'],
  owner: 'organization',
  columns: {
    organization: int,
    /** Hash of method, path and key. */
    name: text,
    /** Hash of the request. */
    fingerprint: text,
    begun_at: int,
    expires_at: int,
    /** Of the process that runs the request; null: none does. */
    lease: nullable(text),
    lease_until: int,
    /** Encrypted; null: the request has not finished. */
    answer: nullable(text),
  },
})
export type IdempotencyTable = RowOf<typeof idempotency>
