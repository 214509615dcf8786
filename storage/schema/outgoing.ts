import { int, nullable, type RowOf, table, text } from './table.ts'

/**
 * The queue of outgoing mail: one row for each domain that a message is still to be sent to. Messages of newsletters have a row each,
 * and no submission: `submission` is the number of their recipient.
 */
export const outgoing = table({
  name: 'outgoing',
  key: ['account', 'submission', 'destination'],
  owner: 'account',
  numbers: [{ column: 'newsletter', of: 'account' }],
  columns: {
    account: int,
    submission: int,
    destination: text,
    /** The account's organization, which the scheduler is fair to. */
    organization: int,
    /** When the row may be claimed: the time of the next attempt, or the end of the lease. */
    due_at: int,
    attempts: int,
    /** Fencing token of the worker that holds the row. */
    lease: nullable(text),
    /** 1: an administrator holds it back. */
    held: int,
    /** The Newsletter that the message is of; null: it is a submission. Other mail is claimed first. */
    newsletter: nullable(int),
  },
})
export type OutgoingTable = RowOf<typeof outgoing>
