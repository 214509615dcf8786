import { int, nullable, type RowOf, table, text } from './table.ts'

/** What delivery found and did about an email from outside. */
export const emailDelivery = table({
  name: 'email_delivery',
  key: ['account', 'email'],
  owner: 'account',
  partOf: 'email',
  columns: {
    account: int,
    email: int,
    /** JSON of the results of the checks; null: nothing was checked. */
    verdict: nullable(text),
    /** JSON array of the steps of the delivery. */
    trace: text,
  },
})
export type EmailDeliveryTable = RowOf<typeof emailDelivery>
