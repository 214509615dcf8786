import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** The sending of a newsletter: how far it has come, and its counts (decision D19). A worker claims the rows that are due. */
export const newsletterRun = table({
  name: 'newsletter_run',
  key: ['account', 'newsletter'],
  owner: 'account',
  numbers: [{ column: 'newsletter', of: 'account' }],
  partOf: 'newsletter',
  columns: {
    /** The organization. */
    account: int,
    newsletter: int,
    /** `start`: waits for its time. `gather`: recipients are being written. `send`: they are being queued. */
    step: oneOf('start', 'gather', 'send'),
    /** When a worker goes on; null: nothing is left to do, or the newsletter is not sending. */
    due_at: nullable(int),
    lease: nullable(text),
    lease_until: int,
    /** When it first began to send; hours of its pace count from here. */
    started_at: nullable(int),
    /** Number of the last subscriber that was gathered. */
    gathered: int,
    /** The hour since the start in which recipients were queued last, and how many. */
    hour: int,
    hour_queued: int,
    /** Recipients by state; kept with each change of a recipient. */
    waiting: int,
    queued: int,
    delivered: int,
    bounced: int,
    skipped: int,
    /** Recipients who complained, and who unsubscribed by it. */
    complained: int,
    unsubscribed: int,
    /** The last finished recipients, the newest last: `b` for a hard bounce, else `.` */
    recent: text,
  },
})
export type NewsletterRunTable = RowOf<typeof newsletterRun>
