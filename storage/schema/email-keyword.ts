import { int, table, text } from './table.ts'

/** Emails with each keyword in the order of their time. */
export const emailKeyword = table({
  name: 'email_keyword',
  key: ['account', 'keyword', 'received_at', 'email'],
  owner: 'account',
  partOf: 'email',
  columns: { account: int, keyword: text, received_at: int, email: int },
})
