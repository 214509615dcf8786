import { int, table, text } from './table.ts'

/** Emails in the order of a sort that somebody has asked for. */
export const emailSortKey = table({
  name: 'email_sort_key',
  key: ['account', 'sort', 'text_key', 'number_key', 'email'],
  owner: 'account',
  partOf: 'email',
  columns: {
    account: int,
    sort: text,
    /** Of a sort by text; '' otherwise. */
    text_key: text,
    /** Of a sort by number; 0 otherwise. */
    number_key: int,
    email: int,
  },
})
