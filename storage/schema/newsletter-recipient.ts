import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** The recipients of newsletters, each with what became of its message. They stay when the audience is deleted. */
export const newsletterRecipient = table({
  name: 'newsletter_recipient',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'newsletter', of: 'account' },
    { column: 'subscriber', of: 'account' },
  ],
  partOf: 'newsletter',
  columns: {
    /** The organization. */
    account: int,
    /** Rows of the queue and return addresses name the recipient by it, as they name others by their submission. */
    id: int,
    newsletter: int,
    subscriber: int,
    /** Normalized. */
    address: text,
    /** `queued`: a row of `outgoing` has the message. `delivered`: a server took it. `skipped`: it is not sent. */
    status: oneOf('waiting', 'queued', 'delivered', 'bounced', 'skipped'),
    /** Why it was skipped or bounced; the last reply of a server. */
    reason: nullable(text),
    queued_at: nullable(int),
    finished_at: nullable(int),
    /** 1: an authenticated complaint came; 2: another one. */
    complained: int,
    unsubscribed: int,
  },
})
export type NewsletterRecipientTable = RowOf<typeof newsletterRecipient>
