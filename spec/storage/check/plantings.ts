/** One fault of every kind that the consistency check finds. */
import { type RawBuilder, sql } from 'kysely'
import type { Unit } from '../../../storage/ports.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import type { Full } from './full-store.ts'

/** What is wrong, the kind that the check must tell, and how it is done. */
export type Planting = [
  words: string,
  kind: string,
  plant: (full: Full) => RawBuilder<unknown> | ((unit: Unit) => Promise<unknown>),
]

const mailboxCounts = ['total_emails', 'unread_emails', 'total_threads', 'unread_threads', 'own_unread_threads']
const threadCounts = ['total', 'unread_elsewhere', 'unread_in_trash', 'latest_at', 'latest_email']

export const PLANTINGS: Planting[] = [
  ...mailboxCounts.map(
    (column): Planting => [
      `a mailbox’s ${column} is one too many`,
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
    'a thread is gone',
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
    'a thread’s place is gone',
    'thread-mailbox',
    ({ account, thread }) => sql`delete from thread_mailbox where account = ${account} and thread = ${thread}`,
  ],
  [
    'a thread’s place is counted wrong',
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
    'an email is listed where it is not',
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
    'an email is in a mailbox that is gone',
    'email-mailbox',
    ({ account, email }) => sql`update email set mailboxes = '5000' where account = ${account} and id = ${email}`,
  ],
  [
    'a keyword is not listed',
    'email-keyword',
    ({ account }) => sql`delete from email_keyword where account = ${account} and keyword = 'project'`,
  ],
  [
    'a keyword is listed that is not set',
    'email-keyword',
    ({ account, email }) =>
      sql`insert into email_keyword (account, keyword, received_at, email) values (${account}, 'other', 1, ${email})`,
  ],
  [
    'keywords are no JSON',
    'email-keyword',
    ({ account, email }) => sql`update email set keywords = '{"a":' where account = ${account} and id = ${email}`,
  ],
  [
    'a seen email counts as unread',
    'email-unread',
    ({ account, email }) => sql`update email set unread = 1 where account = ${account} and id = ${email}`,
  ],
  [
    'the used octets are wrong',
    'quota',
    ({ account }) => sql`update account set used_bytes = used_bytes - 1 where id = ${account}`,
  ],
  [
    'an email is missing in the search index',
    'search-index',
    ({ account, email }) =>
      (unit) =>
        searchIndexOf(unit.sql).remove(unit.account(account), email),
  ],
  [
    'an indexed email is still marked',
    'search-index',
    ({ account, email }) => sql`insert into email_unindexed (account, email, blob) values (${account}, ${email}, 1)`,
  ],
  [
    'a mark is of an email that is gone',
    'search-index',
    ({ account }) => sql`insert into email_unindexed (account, email, blob) values (${account}, 5000, 1)`,
  ],
  [
    'a mailbox’s parent is gone',
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
    'a role is taken twice',
    'mailbox-role',
    ({ account }) => sql`update mailbox set role = 'inbox' where account = ${account} and name = 'A'`,
  ],
  [
    'an email’s blob is gone',
    'blob-reference',
    ({ account }) =>
      sql`delete from account_blob where account = ${account} and id = (select min(blob) from email where account = ${account})`,
  ],
  [
    'an email has another size than its blob',
    'blob-reference',
    ({ account, email }) => sql`update email set size = size + 1 where account = ${account} and id = ${email}`,
  ],
  [
    'a submission’s blob is gone',
    'blob-reference',
    ({ account }) => sql`update submission set blob = 5000 where account = ${account}`,
  ],
  [
    'a reference has another size than its content',
    'blob-reference',
    ({ account }) => sql`update account_blob set size = size + 1 where account = ${account}`,
  ],
  ['a content is gone', 'blob-reference', () => sql`delete from blob where location is not null`],
  ['octets in the database are gone', 'blob-content', () => sql`update blob set data = null where data is not null`],
  [
    'octets in the database are cut',
    'blob-content',
    () => sql`update blob set data = substr(data, 1, 10) where data is not null`,
  ],
  [
    'octets are said to be where none are',
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
    'an object changes after its end',
    'change-log',
    ({ account, email }) =>
      sql`update change set kind = 'd' where account = ${account} and type = 'Email' and object = ${email} and kind = 'c'`,
  ],
  [
    'an object is there that the log does not know',
    'change-log',
    ({ account, email }) => sql`delete from change where account = ${account} and type = 'Email' and object = ${email}`,
  ],
  [
    'an object is there though the log destroyed it',
    'change-log',
    ({ account, email }) =>
      sql`update change set kind = 'd' where account = ${account} and type = 'Email' and object = ${email} and kind = 'u'`,
  ],
  [
    'an object is gone though the log did not destroy it',
    'change-log',
    ({ account }) => sql`delete from change where account = ${account} and type = 'Email' and kind = 'd'`,
  ],
  [
    'an address is not in the directory',
    'directory-address',
    ({ account }) => sql`delete from address where account = ${account}`,
  ],
  [
    'an address leads elsewhere',
    'directory-address',
    ({ account }) => sql`update address set account = ${account} where kind = 'mailbox'`,
  ],
  [
    'a mailbox account is no JSON',
    'directory-address',
    () => sql`update object set data = '{' where type = 'MailAccount'`,
  ],
  ['a domain is not in the directory', 'directory-domain', () => sql`delete from domain_name`],
  [
    'a domain is in the directory that nobody has',
    'directory-domain',
    ({ account }) =>
      sql`insert into domain_name (name, account, object, status) values ('other.test', ${account}, 1, 'verified')`,
  ],
  ['a key is not in the directory', 'directory-credential', () => sql`delete from credential where verifier is null`],
  [
    'a secret opens what is no key',
    'directory-credential',
    ({ account }) => sql`insert into credential (hash, account, object, created_at) values ('00', ${account}, 1, 0)`,
  ],
  [
    'the counter of accounts would give a number again',
    'account',
    () => sql`update installation set value = '1' where name = 'newest_account'`,
  ],
  [
    'the counter of objects would give a number again',
    'account',
    ({ account }) => sql`update account set next_object = 3 where id = ${account}`,
  ],
  [
    'an organization is gone',
    'account',
    ({ account }) => sql`update account set organization = 5000 where id = ${account}`,
  ],
]
