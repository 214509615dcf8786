/** Imports, their staged files, and the index of message identities. */
export const IMPORT_TABLES = [
  `create table import (
    account int not null, id int not null, status text not null, source text not null, options text not null,
    secret text, bytes_total int not null, bytes_imported int not null, undone int not null, failures text not null,
    error text, resume_at int, since int, started_at int, finished_at int, full_since int, due_at int,
    attempts int not null, lease text, lease_until int not null, created_at int not null, updated_at int not null,
    constraint import_pk primary key (account, id)
  ) clustered`,
  'create index import_due on import (due_at, account, id) where due_at is not null',
  'create index import_finished on import (finished_at) where finished_at is not null',
  `create table import_folder (
    account int not null, import int not null, id int not null, source_key text, path text not null, role text,
    generation text, position text, target int, announced int, imported int not null, duplicates int not null,
    skipped int not null, failed int not null, is_done int not null,
    constraint import_folder_pk primary key (account, import, id)
  ) clustered`,
  `create table import_email (
    account int not null, import int not null, email int not null,
    constraint import_email_pk primary key (account, import, email)
  ) clustered`,
  `create table import_mailbox (
    account int not null, import int not null, mailbox int not null,
    constraint import_mailbox_pk primary key (account, import, mailbox)
  ) clustered`,
  `create table import_file (
    account int not null, id int not null, name text not null, size int not null, status text not null, import int,
    place text not null, expires_at int not null, created_at int not null,
    constraint import_file_pk primary key (account, id)
  ) clustered`,
  'create index import_file_expires on import_file (expires_at)',
  `create table email_identity (
    account int not null, email int not null, id_key text not null, digest text,
    constraint email_identity_pk primary key (account, email)
  ) clustered`,
  'create index email_identity_key on email_identity (account, id_key, digest)',
  `create table email_identified (
    account int not null primary key, up_to int not null
  )`,
]
