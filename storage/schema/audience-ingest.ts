import { int, table, text } from './table.ts'

/** Subscribers that were new to an audience of an organization, by month (decision D18). Deletion returns nothing. */
export const audienceIngest = table({
  name: 'audience_ingest',
  key: ['organization', 'period'],
  owner: 'organization',
  columns: { organization: int, period: text, added: int },
})
