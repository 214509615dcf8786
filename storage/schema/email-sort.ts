import { int, type RowOf, table, text } from './table.ts'

/** Orders in which the emails of an account have been sorted: its rows of `email_sort_key` of that sort. */
export const emailSort = table({
  name: 'email_sort',
  key: ['account', 'sort'],
  owner: 'account',
  columns: {
    account: int,
    /** Column of `email`. */
    sort: text,
    /** Emails up to this number have keys; those after it have none yet. */
    up_to: int,
  },
})
export type EmailSortTable = RowOf<typeof emailSort>
