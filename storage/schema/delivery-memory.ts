import { int, oneOf, type RowOf, table, text } from './table.ts'

/** What delivery must not do twice within a time. */
export const deliveryMemory = table({
  name: 'delivery_memory',
  key: ['account', 'kind', 'key'],
  owner: 'account',
  columns: {
    account: int,
    /** `answer`: an automatic reply to an address; `duplicate`: a key of RFC 7352; `invitation`: one that was taken into the calendar. */
    kind: oneOf('answer', 'duplicate', 'invitation'),
    key: text,
    /** The row is void from this time on. */
    until: int,
  },
})
export type DeliveryMemoryTable = RowOf<typeof deliveryMemory>
