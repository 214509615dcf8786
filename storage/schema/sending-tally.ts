import { int, table } from './table.ts'

/**
 * Counts of recipients, bounces and complaints by account and hour, from which the organization's reputation is computed. A mailbox
 * has rows of its own, so that its lock is enough to write them. They stay when the mailbox is erased: the reputation must not improve.
 */
export const sendingTally = table({
  name: 'sending_tally',
  key: ['organization', 'account', 'hour'],
  owner: 'organization',
  columns: {
    organization: int,
    account: int,
    /** Epoch milliseconds / 3,600,000. */
    hour: int,
    recipients: int,
    bounces: int,
    complaints: int,
  },
})
