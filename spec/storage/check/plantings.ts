/** Faults of every kind that the consistency check finds. Those that every table can have are in check.test.ts. */
import { type RawBuilder, sql } from 'kysely'
import type { Unit } from '../../../storage/ports.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import type { Full } from './full-store.ts'

/** A fault, the kind that the check must report, and what causes it. */
export type Planting = [
  title: string,
  kind: string,
  plant: (full: Full) => RawBuilder<unknown> | ((unit: Unit) => Promise<unknown>),
]

const mailboxCounts = ['total_emails', 'unread_emails', 'total_threads', 'unread_threads', 'own_unread_threads']
const threadCounts = ['total', 'unread_elsewhere', 'unread_in_trash', 'latest_at', 'latest_email']

export const PLANTINGS: Planting[] = [
  ...mailboxCounts.map(
    (column): Planting => [
      `a mailbox’s ${column} is too high by one`,
      'mailbox-count',
      ({ account, inbox }) =>
        sql`update mailbox set ${sql.ref(column)} = ${sql.ref(column)} + 1 where account = ${account} and id = ${inbox}`,
    ],
  ),
  ...threadCounts.map(
    (column): Planting => [
      `a thread’s ${column} is wrong`,
      'thread',
      ({ account, thread }) =>
        sql`update thread set ${sql.ref(column)} = ${sql.ref(column)} + 1 where account = ${account} and id = ${thread}`,
    ],
  ),
  [
    'a thread does not exist',
    'thread',
    ({ account, thread }) => sql`delete from thread where account = ${account} and id = ${thread}`,
  ],
  [
    'a thread has no emails',
    'thread',
    ({ account }) =>
      sql`insert into thread (account, id, total, unread_elsewhere, unread_in_trash, created_at, latest_at, latest_email) values (${account}, 5000, 0, 0, 0, 0, 0, 0)`,
  ],
  [
    'an email is in the wrong thread',
    'thread',
    ({ account, email }) =>
      sql`update email set thread = (select max(id) from thread where account = ${account}) where account = ${account} and id = ${email}`,
  ],
  [
    'the count of a thread in a mailbox is missing',
    'thread-mailbox',
    ({ account, thread }) => sql`delete from thread_mailbox where account = ${account} and thread = ${thread}`,
  ],
  [
    'the count of a thread in a mailbox is wrong',
    'thread-mailbox',
    ({ account, thread }) =>
      sql`update thread_mailbox set unread = unread + 1 where account = ${account} and thread = ${thread}`,
  ],
  [
    'an email is not listed in its mailbox',
    'email-mailbox',
    ({ account, email }) => sql`delete from email_mailbox where account = ${account} and email = ${email}`,
  ],
  [
    'an email is listed in a mailbox that it is not in',
    'email-mailbox',
    ({ account, email }) =>
      sql`insert into email_mailbox (account, mailbox, received_at, email) values (${account}, 5000, 1, ${email})`,
  ],
  [
    'an email is listed under another time',
    'email-mailbox',
    ({ account, email }) =>
      sql`update email_mailbox set received_at = received_at + 1 where account = ${account} and email = ${email}`,
  ],
  [
    'an email is in no mailbox',
    'email-mailbox',
    ({ account, email }) => sql`update email set mailboxes = '' where account = ${account} and id = ${email}`,
  ],
  [
    'an email is in a mailbox that does not exist',
    'email-mailbox',
    ({ account, email }) => sql`update email set mailboxes = '5000' where account = ${account} and id = ${email}`,
  ],
  [
    'a keyword is not listed',
    'email-keyword',
    ({ account }) => sql`delete from email_keyword where account = ${account} and keyword = 'project'`,
  ],
  [
    'a listed keyword is not set',
    'email-keyword',
    ({ account, email }) =>
      sql`insert into email_keyword (account, keyword, received_at, email) values (${account}, 'other', 1, ${email})`,
  ],
  [
    'keywords are not JSON',
    'email-keyword',
    ({ account, email }) => sql`update email set keywords = '{"a":' where account = ${account} and id = ${email}`,
  ],
  [
    'what lists show of an email is not JSON',
    'email-packed',
    ({ account, email }) => sql`update email set packed = '[]' || packed where account = ${account} and id = ${email}`,
  ],
  [
    'the structure of an email is not JSON',
    'email-structure',
    ({ account, email }) => sql`update email set structure = '[1,' where account = ${account} and id = ${email}`,
  ],
  [
    'an email with $seen counts as unread',
    'email-unread',
    ({ account, email }) => sql`update email set unread = 1 where account = ${account} and id = ${email}`,
  ],
  [
    'the used octets are wrong',
    'quota',
    ({ account }) => sql`update account set used_bytes = used_bytes - 1 where id = ${account}`,
  ],
  [
    'an email is missing from the search index',
    'search-index',
    ({ account, email }) =>
      (unit) =>
        searchIndexOf(unit.sql).remove(unit.account(account), email),
  ],
  [
    'an indexed email is marked as not indexed',
    'search-index',
    ({ account, email }) => sql`insert into email_unindexed (account, email, blob) values (${account}, ${email}, 1)`,
  ],
  [
    'an email that does not exist is marked as not indexed',
    'search-index',
    ({ account }) => sql`insert into email_unindexed (account, email, blob) values (${account}, 5000, 1)`,
  ],
  [
    'the parent of a mailbox does not exist',
    'mailbox-tree',
    ({ account }) => sql`update mailbox set parent = 5000 where account = ${account} and name = 'B'`,
  ],
  [
    'mailboxes are their own ancestors',
    'mailbox-tree',
    ({ account }) =>
      sql`update mailbox set parent = (select b.id from mailbox b where b.account = ${account} and b.name = 'B') where account = ${account} and name = 'A'`,
  ],
  [
    'a role is used twice',
    'mailbox-role',
    ({ account }) => sql`update mailbox set role = 'inbox' where account = ${account} and name = 'A'`,
  ],
  [
    'the blob of an email does not exist',
    'blob-reference',
    ({ account }) =>
      sql`delete from account_blob where account = ${account} and id = (select min(blob) from email where account = ${account})`,
  ],
  [
    'an email and its blob have different sizes',
    'blob-reference',
    ({ account, email }) => sql`update email set size = size + 1 where account = ${account} and id = ${email}`,
  ],
  [
    'the blob of a submission does not exist',
    'blob-reference',
    ({ account }) => sql`update submission set blob = 5000 where account = ${account}`,
  ],
  [
    'a reference and its content have different sizes',
    'blob-reference',
    ({ account }) => sql`update account_blob set size = size + 1 where account = ${account}`,
  ],
  ['a content does not exist', 'blob-reference', () => sql`delete from blob where location is not null`],
  ['octets in the database are missing', 'blob-content', () => sql`update blob set data = null where data is not null`],
  [
    'octets in the database are cut',
    'blob-content',
    () => sql`update blob set data = substr(data, 1, 10) where data is not null`,
  ],
  [
    'a location has no octets',
    'blob-content',
    () => sql`update blob set location = 'memory:00' where location is not null`,
  ],
  [
    'a sequence number is above the counter',
    'change-log',
    ({ account }) => sql`update account set seq = seq - 1 where id = ${account}`,
  ],
  [
    'a sequence number is used twice',
    'change-log',
    ({ account }) =>
      sql`insert into change (account, type, seq, object, kind, at) select account, 'Other', seq, 1, 'c', 0 from change where account = ${account} and seq = 1`,
  ],
  [
    'an object is created again',
    'change-log',
    ({ account, email }) =>
      sql`update change set kind = 'c' where account = ${account} and type = 'Email' and object = ${email}`,
  ],
  [
    'an object changes that was never created',
    'change-log',
    ({ account, email }) =>
      sql`delete from change where account = ${account} and type = 'Email' and object = ${email} and kind = 'c'`,
  ],
  [
    'an object changes after it was destroyed',
    'change-log',
    ({ account, email }) =>
      sql`update change set kind = 'd' where account = ${account} and type = 'Email' and object = ${email} and kind = 'c'`,
  ],
  [
    'an object exists that is not in the log',
    'change-log',
    ({ account, email }) => sql`delete from change where account = ${account} and type = 'Email' and object = ${email}`,
  ],
  [
    'an object exists that the log destroyed',
    'change-log',
    ({ account, email }) =>
      sql`update change set kind = 'd' where account = ${account} and type = 'Email' and object = ${email} and kind = 'u'`,
  ],
  [
    'an object does not exist that the log did not destroy',
    'change-log',
    ({ account }) => sql`delete from change where account = ${account} and type = 'Email' and kind = 'd'`,
  ],
  [
    'an address is not in the directory',
    'directory-address',
    ({ account }) => sql`delete from address where account = ${account}`,
  ],
  [
    'an address leads to another account',
    'directory-address',
    ({ account }) => sql`update address set account = ${account} where kind = 'mailbox'`,
  ],
  [
    'a MailAccount is not JSON',
    'directory-address',
    () => sql`update object set data = '{' where type = 'MailAccount'`,
  ],
  ['a domain is not in the directory', 'directory-domain', () => sql`delete from domain_name`],
  [
    'the directory has a domain without its object',
    'directory-domain',
    ({ account }) =>
      sql`insert into domain_name (name, account, object, status) values ('other.test', ${account}, 1, 'verified')`,
  ],
  ['a key is not in the directory', 'directory-credential', () => sql`delete from credential where verifier is null`],
  [
    'a credential has no ApiKey',
    'directory-credential',
    ({ account }) => sql`insert into credential (hash, account, object, created_at) values ('00', ${account}, 1, 0)`,
  ],
  [
    'the counter of accounts would give out a number again',
    'account',
    () => sql`update installation set value = '1' where name = 'newest_account'`,
  ],
  [
    'the counter of objects would give out a number again',
    'account',
    ({ account }) => sql`update account set next_object = 3 where id = ${account}`,
  ],
  [
    'an organization does not exist',
    'account',
    ({ account }) => sql`update account set organization = 5000 where id = ${account}`,
  ],
]
