import { int, table } from './table.ts'

/** How far the emails of an account are in `email_identity`. */
export const emailIdentified = table({
  name: 'email_identified',
  key: ['account'],
  owner: 'account',
  columns: {
    account: int,
    /** All emails up to this number have a row. */
    up_to: int,
  },
})
