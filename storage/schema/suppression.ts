import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Addresses that an organization sends nothing to (decision D25). */
export const suppression = table({
  name: 'suppression',
  key: ['account', 'address'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'Suppression',
  columns: {
    /** The organization. */
    account: int,
    /** Normalized. */
    address: text,
    id: int,
    reason: oneOf('hard_bounce', 'complaint', 'manual'),
    /** Id of the Email that bounced or that was complained about. */
    source_message_id: nullable(text),
    smtp_response: nullable(text),
    created_at: int,
  },
})
export type SuppressionTable = RowOf<typeof suppression>
