import { int, table, text } from './table.ts'

/** PostgreSQL's search index (storage/search/tsvector.ts). */
export const emailSearch = table({
  name: 'email_search',
  key: ['account', 'email'],
  owner: 'account',
  partOf: 'email',
  engine: 'postgres',
  columns: {
    account: int,
    email: int,
    thread: int,
    received_at: int,
    /** A tsvector. */
    in_text: text,
    words_from: text,
    words_to: text,
    words_cc: text,
    words_bcc: text,
    words_subject: text,
    words_body: text,
    words_attachment: text,
  },
})
