/** Mailboxes, threads, emails and Sieve scripts. */
export const MAIL_TABLES = [
  `create table mailbox (
    account int not null, id int not null, name text not null, name_key text not null, parent int not null,
    role text, sort_order int not null, is_subscribed int not null, total_emails int not null,
    unread_emails int not null, total_threads int not null, unread_threads int not null,
    own_unread_threads int not null, created_at int not null,
    constraint mailbox_pk primary key (account, id)
  ) clustered`,
  'create unique index mailbox_sibling on mailbox (account, parent, name_key)',
  `create table thread (
    account int not null, id int not null, total int not null, unread_elsewhere int not null,
    unread_in_trash int not null, created_at int not null, latest_at int not null, latest_email int not null,
    constraint thread_pk primary key (account, id)
  ) clustered`,
  'create index thread_latest on thread (account, latest_at, id)',
  `create table thread_mailbox (
    account int not null, thread int not null, mailbox int not null, total int not null, unread int not null,
    constraint thread_mailbox_pk primary key (account, thread, mailbox)
  ) clustered`,
  `create table thread_ref (
    account int not null, ref text not null, thread int not null,
    constraint thread_ref_pk primary key (account, ref, thread)
  ) clustered`,
  'create index thread_ref_thread on thread_ref (account, thread)',
  `create table email (
    account int not null, id int not null, thread int not null, blob int not null, size int not null,
    received_at int not null, sent_at int, has_attachment int not null, unread int not null, keywords text not null,
    mailboxes text not null, from_sort text not null, to_sort text not null, subject_sort text not null,
    packed text not null, structure text not null, source text not null, created_at int not null,
    constraint email_pk primary key (account, id)
  )`,
  'create index email_blob on email (account, blob)',
  'create index email_received on email (account, received_at, id, thread)',
  'create index email_thread on email (account, thread, received_at, id)',
  `create table email_unindexed (
    account int not null, email int not null, blob int not null,
    constraint email_unindexed_pk primary key (account, email)
  ) clustered`,
  `create table email_mailbox (
    account int not null, mailbox int not null, received_at int not null, email int not null,
    constraint email_mailbox_pk primary key (account, mailbox, received_at, email)
  ) clustered`,
  `create table email_keyword (
    account int not null, keyword text not null, received_at int not null, email int not null,
    constraint email_keyword_pk primary key (account, keyword, received_at, email)
  ) clustered`,
  `create table email_sort (
    account int not null, sort text not null, up_to int not null,
    constraint email_sort_pk primary key (account, sort)
  ) clustered`,
  `create table email_sort_key (
    account int not null, sort text not null, text_key text not null, number_key int not null, email int not null,
    constraint email_sort_key_pk primary key (account, sort, text_key, number_key, email)
  ) clustered`,
  `create table sieve_script (
    account int not null, id int not null, name text not null, blob int not null, is_active int not null,
    created_at int not null,
    constraint sieve_script_pk primary key (account, id)
  ) clustered`,
  'create index sieve_script_blob on sieve_script (account, blob)',
]
