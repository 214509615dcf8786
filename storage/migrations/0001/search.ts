/** The search index of each engine: storage/search/fts5.ts, storage/search/tsvector.ts. */
export const SEARCH_TABLES = {
  sqlite: [
    `create virtual table email_fts using fts5(
      "from", "to", cc, bcc, subject, body, attachment, header,
      content='', contentless_delete=1, tokenize='ascii', detail=full
    )`,
    // Merging in small steps with each insert keeps the worst transaction short; the default would stall for tens of milliseconds.
    `insert into email_fts (email_fts, rank) values ('automerge', 4)`,
    `create table email_fts_doc (
      account integer not null, doc integer not null, email integer not null, thread integer not null,
      received_at integer not null,
      primary key (account, doc)
    ) without rowid`,
    'create index email_fts_doc_email on email_fts_doc (account, email, doc)',
  ],
  postgres: [
    `create table email_search (
      account bigint not null, email bigint not null, thread bigint not null, received_at bigint not null,
      in_text tsvector not null,
      words_from text collate "C" not null, words_to text collate "C" not null,
      words_cc text collate "C" not null, words_bcc text collate "C" not null,
      words_subject text collate "C" not null, words_body text collate "C" not null,
      words_attachment text collate "C" not null,
      primary key (account, email)
    )`,
    'create index email_search_text on email_search using gin (in_text)',
    'create index email_search_newest on email_search (account, received_at, email)',
  ],
}
