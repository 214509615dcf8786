import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** EmailSubmissions. Recipients that are still open are in `outgoing`. */
export const submission = table({
  name: 'submission',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'calendar_event', of: 'account' },
  ],
  objectType: 'EmailSubmission',
  keepsBlob: { whileSet: 'due_at' },
  columns: {
    account: int,
    id: int,
    identity: int,
    email: int,
    thread: int,
    blob: int,
    mail_from: text,
    /** JSON of the parameters of MAIL (RFC 3461 and others). */
    parameters: text,
    send_at: int,
    undo_status: oneOf('pending', 'final', 'canceled'),
    /** Time of the first attempt; null: no recipient is open. */
    due_at: nullable(int),
    created_at: int,
    /** Message-ID without angle brackets. Reports name it. */
    message_id: nullable(text),
    /** The account's organization. */
    organization: int,
    /** JSON object of the sender's tags. */
    tags: text,
    /** JSON record of the message after its email was destroyed; null: the email exists. */
    kept: nullable(text),
    /** The event that the message is about, which may have been destroyed; null: it is about none. */
    calendar_event: nullable(int),
  },
})
export type SubmissionTable = RowOf<typeof submission>
