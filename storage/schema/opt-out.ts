import { int, oneOf, type RowOf, table, text } from './table.ts'

/** Addresses that want no newsletter of an organization. They stay when subscribers and audiences are deleted (decision D18). */
export const optOut = table({
  name: 'opt_out',
  key: ['account', 'address'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'OptOut',
  columns: {
    /** The organization. */
    account: int,
    /** Normalized. */
    address: text,
    id: int,
    source: oneOf('recipient', 'api', 'complaint'),
    created_at: int,
  },
})
export type OptOutTable = RowOf<typeof optOut>
