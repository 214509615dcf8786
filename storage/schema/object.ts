import { int, type RowOf, table, text } from './table.ts'

/** Objects of JMAP types that have no table of their own. */
export const object = table({
  name: 'object',
  key: ['account', 'type', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  columns: {
    account: int,
    type: text,
    id: int,
    /** JSON of the properties. */
    data: text,
    created_at: int,
  },
})
export type ObjectTable = RowOf<typeof object>
