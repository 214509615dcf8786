import { int, type RowOf, table, text } from './table.ts'

/** Addresses whose owners want no newsletter of one audience. They stay when the subscriber is deleted, until the audience is. */
export const audienceLeave = table({
  name: 'audience_leave',
  key: ['account', 'audience', 'address'],
  owner: 'account',
  numbers: [{ column: 'audience', of: 'account' }],
  columns: {
    /** The organization. */
    account: int,
    audience: int,
    /** Normalized. */
    address: text,
    created_at: int,
  },
})
export type AudienceLeaveTable = RowOf<typeof audienceLeave>
