/** Submissions, the queue of outgoing mail, and the usage and reputation of organizations. */
export const SENDING_TABLES = [
  `create table submission (
    account int not null, id int not null, identity int not null, email int not null, thread int not null,
    blob int not null, mail_from text not null, parameters text not null, send_at int not null,
    undo_status text not null, due_at int, created_at int not null, message_id text,
    organization int not null default 0, tags text not null default '{}', kept text,
    calendar_event int,
    constraint submission_pk primary key (account, id)
  ) clustered`,
  'create index submission_email on submission (account, email)',
  'create index submission_message_id on submission (organization, message_id, account)',
  'create index submission_sent on submission (organization, created_at, account, id)',
  `create index submission_unsent on submission (organization, created_at, account, id) where undo_status <> 'final'`,
  `create table submission_recipient (
    account int not null, submission int not null, position int not null, address text not null,
    parameters text not null, status text not null, smtp_reply text, host text, tried_at int, delivered text,
    displayed int not null default 0, destination text not null default '', complained int not null default 0,
    bounced int not null default 0, organization int not null default 0, created_at int not null default 0,
    constraint submission_recipient_pk primary key (account, submission, position)
  ) clustered`,
  `create index submission_recipient_address
    on submission_recipient (organization, lower(address), created_at, account, submission)`,
  `create table submission_report (
    account int not null, submission int not null, position int not null, kind text not null, blob int not null,
    constraint submission_report_pk primary key (account, submission, position)
  ) clustered`,
  'create index submission_report_blob on submission_report (account, blob)',
  `create table submission_tag (
    organization int not null, name text not null, value text not null, created_at int not null,
    account int not null, submission int not null,
    constraint submission_tag_pk primary key (organization, name, value, created_at, account, submission)
  ) clustered`,
  `create table outgoing (
    account int not null, submission int not null, destination text not null, organization int not null,
    due_at int not null, attempts int not null, lease text, held int not null, newsletter int,
    constraint outgoing_pk primary key (account, submission, destination)
  ) clustered`,
  // A single message is found at once, however many of newsletters are due before it.
  `create index outgoing_due on outgoing (due_at, account, submission, destination, organization, attempts)
    where held = 0 and newsletter is null`,
  `create index outgoing_newsletter_due on outgoing (due_at, account, submission, destination, organization, attempts)
    where held = 0 and newsletter is not null`,
  `create table suppression (
    account int not null, address text not null, id int not null, reason text not null, source_message_id text,
    smtp_response text, created_at int not null,
    constraint suppression_pk primary key (account, address)
  ) clustered`,
  'create unique index suppression_id on suppression (account, id)',
  `create table sending_usage (
    organization int not null, period text not null, sends int not null,
    constraint sending_usage_pk primary key (organization, period)
  ) clustered`,
  `create table sending_tally (
    organization int not null, account int not null, hour int not null, recipients int not null,
    bounces int not null, complaints int not null,
    constraint sending_tally_pk primary key (organization, account, hour)
  ) clustered`,
  'create index sending_tally_hour on sending_tally (hour)',
  `create table reputation (
    organization int primary key, status text not null, since int not null, calm_since int, released_at int
  ) clustered`,
  `create table owner_notice (
    organization int not null, period text not null, notice text not null, told_at int not null,
    constraint owner_notice_pk primary key (organization, period, notice)
  ) clustered`,
  `create table sts_policy (
    domain text not null, id text not null, policy text not null, kept_until int not null,
    constraint sts_policy_pk primary key (domain)
  ) clustered`,
  'create index sts_policy_until on sts_policy (kept_until)',
]
