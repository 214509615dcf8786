/** Audiences, subscribers, opt-outs and sign-ups. */
export const AUDIENCE_TABLES = [
  `create table audience (
    account int not null, id int not null, name text not null, description text, consent_source text not null,
    member_count int not null, subscribed_count int not null, signup_page int not null, created_at int not null, updated_at int not null,
    constraint audience_pk primary key (account, id)
  ) clustered`,
  `create table subscriber (
    account int not null, id int not null, audience int not null, address text not null, display_name text,
    status text not null, merge_fields text not null, consent_source text not null, consented_at int not null,
    created_at int not null, updated_at int not null,
    constraint subscriber_pk primary key (account, id)
  ) clustered`,
  // An address is found in all audiences by the first two columns, and in one of them by all three.
  'create unique index subscriber_address on subscriber (account, address, audience)',
  'create index subscriber_status on subscriber (account, audience, status, id)',
  'create index subscriber_audience on subscriber (account, audience, id)',
  `create table opt_out (
    account int not null, address text not null, id int not null, source text not null, created_at int not null,
    constraint opt_out_pk primary key (account, address)
  ) clustered`,
  'create unique index opt_out_id on opt_out (account, id)',
  `create table audience_leave (
    account int not null, audience int not null, address text not null, created_at int not null,
    constraint audience_leave_pk primary key (account, audience, address)
  ) clustered`,
  `create table audience_removal (
    account int not null, audience int not null, due_at int not null, lease text, lease_until int not null,
    constraint audience_removal_pk primary key (account, audience)
  ) clustered`,
  `create table audience_ingest (
    organization int not null, period text not null, added int not null,
    constraint audience_ingest_pk primary key (organization, period)
  ) clustered`,
  `create table sign_up (
    account int not null, audience int not null, address text not null, nonce text not null, display_name text,
    mailed_at int not null, expires_at int not null,
    constraint sign_up_pk primary key (account, audience, address)
  ) clustered`,
  'create unique index sign_up_nonce on sign_up (account, nonce)',
  'create index sign_up_expires on sign_up (expires_at)',
  `create table sign_up_mail (
    address text not null, mailed text not null, kept_until int not null,
    constraint sign_up_mail_pk primary key (address)
  ) clustered`,
  'create index sign_up_mail_until on sign_up_mail (kept_until)',
]
