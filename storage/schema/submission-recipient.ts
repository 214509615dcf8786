import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Recipients of submissions, and the delivery status of each. */
export const submissionRecipient = table({
  name: 'submission_recipient',
  key: ['account', 'submission', 'position'],
  owner: 'account',
  partOf: 'submission',
  columns: {
    account: int,
    submission: int,
    position: int,
    address: text,
    /** JSON of the parameters of RCPT. */
    parameters: text,
    status: oneOf('open', 'sent', 'refused'),
    smtp_reply: nullable(text),
    /** Server that gave the reply; null: this server. */
    host: nullable(text),
    tried_at: nullable(int),
    /** What a later delivery status notification reported. */
    delivered: nullable(oneOf('yes', 'no')),
    /** 1: a read receipt came. */
    displayed: int,
    /** Domain of the address, as A-labels in lower case. */
    destination: text,
    /** 1: an authenticated feedback report came; 2: an unauthenticated one. */
    complained: int,
    /** 1: the bounce was counted, from an attempt or from an authenticated report. */
    bounced: int,
    /** The submission's, as an organization searches by recipient, newest first. */
    organization: int,
    created_at: int,
  },
})
export type SubmissionRecipientTable = RowOf<typeof submissionRecipient>
