import { int, table, text } from './table.ts'

/** Recipients that were admitted for an organization, by month (`2026-11`) and, while its sending is throttled, by hour. */
export const sendingUsage = table({
  name: 'sending_usage',
  key: ['organization', 'period'],
  owner: 'organization',
  columns: { organization: int, period: text, sends: int },
})
