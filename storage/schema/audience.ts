import { int, nullable, type RowOf, table, text } from './table.ts'

/** Lists of newsletter recipients (decision D18). */
export const audience = table({
  name: 'audience',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'Audience',
  columns: {
    /** The organization. */
    account: int,
    id: int,
    name: text,
    description: nullable(text),
    consent_source: text,
    /** Counts of its subscribers, kept in the units of work that change them. */
    member_count: int,
    subscribed_count: int,
    /** Whether anybody may sign up on its public page. */
    signup_page: int,
    created_at: int,
    updated_at: int,
  },
})
export type AudienceTable = RowOf<typeof audience>
