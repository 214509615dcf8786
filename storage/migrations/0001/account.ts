/** Accounts, the change log, objects of types without a table of their own, the directory, blobs, idempotent requests. */
export const ACCOUNT_TABLES = [
  'create table installation (name text primary key, value text not null)',
  `create table account (
    id int primary key, kind text not null, organization int not null, name text not null, seq int not null,
    next_object int not null, used_bytes int not null, created_at int not null, suspended_at int, deleted_at int
  )`,
  'create index account_organization on account (organization, id)',
  `create table change (
    account int not null, type text not null, seq int not null, object int not null, kind text not null, props text,
    at int not null,
    constraint change_pk primary key (account, type, seq)
  ) clustered`,
  `create table change_floor (
    account int not null, type text not null, floor int not null,
    constraint change_floor_pk primary key (account, type)
  ) clustered`,
  `create table object (
    account int not null, type text not null, id int not null, data text not null, created_at int not null,
    constraint object_pk primary key (account, type, id)
  ) clustered`,
  `create table address (
    address text primary key, account int not null, kind text not null, domain text not null,
    enabled int not null default 1
  )`,
  'create index address_account on address (account)',
  `create table domain_name (
    name text not null, account int not null, object int not null, status text not null, catch_all int,
    constraint domain_name_pk primary key (name, account)
  )`,
  `create table domain_check (
    account int not null, domain int not null, due_at int not null, lease text, lease_until int not null,
    constraint domain_check_pk primary key (account, domain)
  ) clustered`,
  'create index domain_check_due on domain_check (due_at, account, domain)',
  `create table domain_work (
    account int not null, domain int not null, kind text not null, name text not null, reserved text, step text not null,
    data text not null, due_at int, attempts int not null, lease text, lease_until int not null, created_at int not null,
    constraint domain_work_pk primary key (account, domain, kind)
  ) clustered`,
  'create unique index domain_work_reserved on domain_work (reserved)',
  'create index domain_work_due on domain_work (due_at, account, domain, kind) where due_at is not null',
  `create table credential (
    hash text primary key, account int not null, object int not null, verifier text, created_at int not null
  )`,
  `create table blob (
    hash bytes primary key, size int not null, data bytes, location text, created_at int not null
  )`,
  'create index blob_location on blob (location) where location is not null',
  `create table account_blob (
    account int not null, id int not null, hash bytes not null, size int not null, type text not null,
    uploader text, uploaded_at int not null,
    constraint account_blob_pk primary key (account, id)
  ) clustered`,
  'create unique index account_blob_hash on account_blob (hash, account)',
  'create index account_blob_upload on account_blob (account, uploaded_at, id, size) where uploader is not null',
  `create table idempotency (
    organization int not null, name text not null, fingerprint text not null, begun_at int not null,
    expires_at int not null, lease text, lease_until int not null, answer text,
    constraint idempotency_pk primary key (organization, name)
  ) clustered`,
  'create index idempotency_expires on idempotency (expires_at)',
  `create table idempotency_step (
    organization int not null, name text not null, round int not null, step int not null, past text,
    outcome text not null,
    constraint idempotency_step_pk primary key (organization, name, round, step)
  ) clustered`,
]
