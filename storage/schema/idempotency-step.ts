import { int, nullable, type RowOf, table, text } from './table.ts'

/** Outcomes of the units of work of a request with an Idempotency-Key, written with their effects and kept until the request is answered. */
export const idempotencyStep = table({
  name: 'idempotency_step',
  key: ['organization', 'name', 'round', 'step'],
  owner: 'organization',
  columns: {
    organization: int,
    name: text,
    /** Number of the round of JMAP calls, from 0. */
    round: int,
    /** Number of the unit of work in its round. */
    step: int,
    /** Encrypted answers of the earlier rounds; null: another step of this round has them. */
    past: nullable(text),
    /** Encrypted. */
    outcome: text,
  },
})
export type IdempotencyStepTable = RowOf<typeof idempotencyStep>
