import { bytes, int, oneOf, type RowOf, table } from './table.ts'

/** Contents that an organization's classifier has learned. */
export const spamLearned = table({
  name: 'spam_learned',
  key: ['account', 'hash'],
  owner: 'account',
  columns: {
    /** The organization. */
    account: int,
    hash: bytes,
    kind: oneOf('spam', 'ham'),
    /** Days since 1970. */
    day: int,
  },
})
export type SpamLearnedTable = RowOf<typeof spamLearned>
