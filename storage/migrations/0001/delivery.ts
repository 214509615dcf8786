/** What delivery found and remembers, drafts that it requests, and the spam classifier. */
export const DELIVERY_TABLES = [
  `create table email_delivery (
    account int not null, email int not null, verdict text, trace text not null,
    constraint email_delivery_pk primary key (account, email)
  ) clustered`,
  `create table delivery_memory (
    account int not null, kind text not null, key text not null, until int not null,
    constraint delivery_memory_pk primary key (account, kind, key)
  ) clustered`,
  'create index delivery_memory_until on delivery_memory (until)',
  `create table draft_request (
    account int not null, id int not null, email int not null, data text not null, due_at int not null,
    attempts int not null, lease text, lease_until int not null, created_at int not null,
    constraint draft_request_pk primary key (account, id)
  ) clustered`,
  'create index draft_request_due on draft_request (due_at, account, id)',
  `create table late_calendar (
    account int not null, id int not null, email int not null, recipient text not null, is_authentic int not null,
    sender text not null, due_at int not null, attempts int not null, lease text, lease_until int not null,
    created_at int not null,
    constraint late_calendar_pk primary key (account, id)
  ) clustered`,
  'create index late_calendar_due on late_calendar (due_at, account, id)',
  'create index late_calendar_sender on late_calendar (sender, due_at)',
  `create table spam_mark (
    account int not null, email int not null, blob int not null, kind text not null, number int not null,
    constraint spam_mark_pk primary key (account, email)
  ) clustered`,
  `create table spam_learned (
    account int not null, hash bytes not null, kind text not null, day int not null,
    constraint spam_learned_pk primary key (account, hash)
  ) clustered`,
  `create table spam_token (
    account int not null, token int not null, spam int not null, ham int not null, day int not null,
    constraint spam_token_pk primary key (account, token)
  ) clustered`,
  `create table spam_total (
    account int not null primary key, spam int not null, ham int not null, version int not null
  )`,
]
