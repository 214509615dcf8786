import { int, table, text } from './table.ts'

/** Notices that the owner of an organization was sent in a billing period, so that each is sent once (decision D27). */
export const ownerNotice = table({
  name: 'owner_notice',
  key: ['organization', 'period', 'notice'],
  owner: 'organization',
  columns: {
    organization: int,
    period: text,
    /** Resource and percentage: `sends_80`. */
    notice: text,
    told_at: int,
  },
})
