import { int, type RowOf, table } from './table.ts'

/** The warm-up of domains that newsletters are sent from (decision D31). */
export const newsletterWarmUp = table({
  name: 'newsletter_warm_up',
  key: ['account', 'domain'],
  owner: 'account',
  numbers: [{ column: 'domain', of: 'account' }],
  columns: {
    /** The organization. */
    account: int,
    domain: int,
    /** The last day with newsletters, in days since the epoch, and the recipients of that day. */
    day: int,
    recipients: int,
    /** Days with newsletters, that one included. */
    days: int,
  },
})
export type NewsletterWarmUpTable = RowOf<typeof newsletterWarmUp>
