import { int, oneOf, type RowOf, table } from './table.ts'

/** Emails that users marked as junk or not junk: the queue of what the spam classifier still has to learn. */
export const spamMark = table({
  name: 'spam_mark',
  key: ['account', 'email'],
  owner: 'account',
  numbers: [{ column: 'number', of: 'account' }],
  columns: {
    account: int,
    email: int,
    blob: int,
    /** `none`: the classifier unlearns the email. */
    kind: oneOf('spam', 'ham', 'none'),
    /** Of this mark: a later mark of the same email has another number. */
    number: int,
  },
})
export type SpamMarkTable = RowOf<typeof spamMark>
