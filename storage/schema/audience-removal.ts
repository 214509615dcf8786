import { int, nullable, type RowOf, table, text } from './table.ts'

/** Audiences that were deleted, and whose subscribers are still being deleted. A worker claims the rows. Nobody sees those subscribers. */
export const audienceRemoval = table({
  name: 'audience_removal',
  key: ['account', 'audience'],
  owner: 'account',
  numbers: [{ column: 'audience', of: 'account' }],
  columns: {
    /** The organization. */
    account: int,
    audience: int,
    due_at: int,
    lease: nullable(text),
    lease_until: int,
  },
})
export type AudienceRemovalTable = RowOf<typeof audienceRemoval>
