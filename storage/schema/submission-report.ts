import { int, oneOf, type RowOf, table } from './table.ts'

/** Reports on submissions, in the order of receipt (RFC 8621 7: dsnBlobIds, mdnBlobIds). */
export const submissionReport = table({
  name: 'submission_report',
  key: ['account', 'submission', 'position'],
  owner: 'account',
  partOf: 'submission',
  keepsBlob: 'always',
  columns: { account: int, submission: int, position: int, kind: oneOf('dsn', 'mdn'), blob: int },
})
export type SubmissionReportTable = RowOf<typeof submissionReport>
