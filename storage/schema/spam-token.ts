import { int, type RowOf, table } from './table.ts'

/** Counts of learned messages of each kind that have a token. */
export const spamToken = table({
  name: 'spam_token',
  key: ['account', 'token'],
  owner: 'account',
  columns: {
    /** The organization. */
    account: int,
    token: int,
    spam: int,
    ham: int,
    /** Day of the last message that was learned with the token. */
    day: int,
  },
})
export type SpamTokenTable = RowOf<typeof spamToken>
