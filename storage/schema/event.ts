import { int, type RowOf, table, text } from './table.ts'

/**
 * Events, written in the unit of work of the reported change (decision D24). They belong to the organization and have their own
 * lifetime.
 */
export const event = table({
  name: 'event',
  key: ['organization', 'account', 'number'],
  owner: 'organization',
  numbers: [{ column: 'number', of: 'account' }],
  columns: {
    organization: int,
    /** Account that the event happened in. */
    account: int,
    number: int,
    type: text,
    /** JSON object, as webhooks send it. */
    data: text,
    at: int,
  },
})
export type EventTable = RowOf<typeof event>
