import { int, nullable, oneOf, type RowOf, table } from './table.ts'

/** Reputation of organizations that have not always been healthy (decision D26). */
export const reputation = table({
  name: 'reputation',
  key: ['organization'],
  owner: 'organization',
  columns: {
    organization: int,
    status: oneOf('healthy', 'warning', 'throttled', 'suspended'),
    /** Time of the last change of the status. */
    since: int,
    /** Since when both rates are below the warning level; null: they are not. */
    calm_since: nullable(int),
    /** When an administrator ended a suspension. */
    released_at: nullable(int),
  },
})
export type ReputationTable = RowOf<typeof reputation>
