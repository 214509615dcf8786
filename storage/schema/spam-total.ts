import { int, type RowOf, table } from './table.ts'

/** Counts of the messages that an organization's classifier has learned. */
export const spamTotal = table({
  name: 'spam_total',
  key: ['account'],
  owner: 'account',
  columns: {
    /** The organization. */
    account: int,
    spam: int,
    ham: int,
    /** Grows with each change. */
    version: int,
  },
})
export type SpamTotalTable = RowOf<typeof spamTotal>
