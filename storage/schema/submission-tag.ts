import { int, table, text } from './table.ts'

/** Index of the tags of submissions, by which an organization searches for them. */
export const submissionTag = table({
  name: 'submission_tag',
  key: ['organization', 'name', 'value', 'created_at', 'account', 'submission'],
  owner: 'account',
  partOf: 'submission',
  columns: {
    organization: int,
    name: text,
    value: text,
    /** The submission's. */
    created_at: int,
    account: int,
    submission: int,
  },
})
