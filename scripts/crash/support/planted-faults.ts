/** Faults planted in the database and the packs of a data folder whose server is stopped: lost rows, wrong counts, changed octets. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { headerBytes, parseLocation } from '../../../storage/blobs/pack-format.ts'
import type { Fault } from '../../../storage/check/fault.ts'

export interface PlantedFault {
  readonly what: string
  /** Nothing can compute it again. */
  readonly isLasting: boolean
  isFound(fault: Fault): boolean
}

interface EmailRow {
  readonly account: number
  readonly id: number
  readonly thread: number
  readonly mailboxes: string
  readonly blob: number
}

/** On an email each: what is done to it, and the kind of fault that it makes. */
const ON_EMAILS: readonly [what: string, kind: string, sql: string][] = [
  [
    'a thread counts one more email',
    'thread',
    'update thread set total = total + 1 where account = :account and id = :thread',
  ],
  [
    'a thread has another latest time',
    'thread',
    'update thread set latest_at = latest_at + 1 where account = :account and id = :thread',
  ],
  ['a thread is missing', 'thread', 'delete from thread where account = :account and id = :thread'],
  [
    'an email is in another thread',
    'thread',
    'update email set thread = (select min(id) from thread where account = :account) where account = :account and id = :id',
  ],
  [
    'the count of a thread in a mailbox is missing',
    'thread-mailbox',
    'delete from thread_mailbox where account = :account and thread = :thread',
  ],
  [
    'the count of a thread in a mailbox is wrong',
    'thread-mailbox',
    'update thread_mailbox set unread = unread + 1 where account = :account and thread = :thread',
  ],
  [
    'an email is not listed in its mailbox',
    'email-mailbox',
    'delete from email_mailbox where account = :account and email = :id',
  ],
  [
    'an email is listed under another time',
    'email-mailbox',
    'update email_mailbox set received_at = received_at + 1 where account = :account and email = :id',
  ],
  [
    'a keyword is listed that is not set',
    'email-keyword',
    "insert into email_keyword (account, keyword, received_at, email) values (:account, 'planted', 1, :id)",
  ],
  [
    'what lists show is not JSON',
    'email-packed',
    "update email set packed = '[]' || packed where account = :account and id = :id",
  ],
  [
    'the structure is not JSON',
    'email-structure',
    "update email set structure = '[1,' where account = :account and id = :id",
  ],
  ['an email counts as read', 'email-unread', 'update email set unread = 0 where account = :account and id = :id'],
  [
    'an email has another size',
    'blob-reference',
    'update email set size = size + 1 where account = :account and id = :id',
  ],
  [
    'an indexed email is marked as not indexed',
    'search-index',
    'insert into email_unindexed (account, email, blob) values (:account, :id, :blob)',
  ],
]

export function plantFaults(data: string): PlantedFault[] {
  const database = new Database(join(data, 'posthouse.db'))
  try {
    return [...onEmails(database), ...onAccounts(database), ...onBlobs(database, join(data, 'blobs'))]
  } finally {
    database.close()
  }
}

function onEmails(database: Database.Database): PlantedFault[] {
  // Far from each other, unread, and alone in their threads, so that each fault is about its own email.
  const rows = database
    .prepare(
      `select account, id, thread, mailboxes, blob from email where unread = 1 and keywords = '{}'
       and (select total from thread where thread.account = email.account and thread.id = email.thread) = 1 order by id, account`,
    )
    .all() as EmailRow[]
  const step = Math.floor(rows.length / (ON_EMAILS.length + 1))
  return ON_EMAILS.map(([what, kind, sql], i) => {
    const { account, id, thread, blob } = rows[(i + 1) * step]!
    const given = { account, id, thread, blob }
    const named = Object.fromEntries(Object.entries(given).filter(([name]) => sql.includes(`:${name}`)))
    if (database.prepare(sql).run(named).changes === 0) throw new Error(`nothing was changed: ${what}`)
    const numbers = new RegExp(`(?<!\\d)(?:${id}|${thread}|${blob})(?!\\d)`)
    return {
      what: `${what} (${account}/${id})`,
      isLasting: false,
      isFound: (fault) => fault.account === account && fault.kind === kind && numbers.test(fault.detail),
    }
  })
}

function onAccounts(database: Database.Database): PlantedFault[] {
  const accounts = database
    .prepare(
      'select account as id, min(id) as inbox from mailbox where total_emails > 0 group by account order by account',
    )
    .all() as { id: number; inbox: number }[]
  const [first, second] = [accounts[0]!, accounts[1]!]
  database.prepare('update account set used_bytes = used_bytes - 1 where id = ?').run(first.id)
  const raise = (column: string, { id, inbox }: typeof first) =>
    database.prepare(`update mailbox set ${column} = ${column} + 1 where account = ? and id = ?`).run(id, inbox)
  raise('total_emails', first)
  raise('own_unread_threads', second)
  const found =
    (account: number, kind: string, words = '') =>
    (fault: Fault) =>
      fault.account === account && fault.kind === kind && fault.detail.includes(words)
  return [
    { what: 'the used octets are wrong', isLasting: false, isFound: found(first.id, 'quota') },
    {
      what: 'a mailbox counts one more email',
      isLasting: false,
      isFound: found(first.id, 'mailbox-count', 'total_emails'),
    },
    {
      what: 'a mailbox counts one more thread',
      isLasting: false,
      isFound: found(second.id, 'mailbox-count', 'own_unread_threads'),
    },
  ]
}

/** A changed octet in the database, one in a pack, and one row that is gone. */
function onBlobs(database: Database.Database, packs: string): PlantedFault[] {
  const lasting = (what: string, hash: Buffer, kind: string, number?: number): PlantedFault => ({
    what,
    isLasting: true,
    isFound: ({ kind: of, detail }) =>
      of === kind &&
      (number === undefined
        ? detail.includes(hash.toString('hex'))
        : new RegExp(`(?<!\\d)${number}(?!\\d)`).test(detail)),
  })
  const inside = database.prepare('select hash, data from blob where data is not null order by hash limit 1').get() as {
    hash: Buffer
    data: Buffer
  }
  inside.data[inside.data.length >> 1]! ^= 1
  database.prepare('update blob set data = :data where hash = :hash').run(inside)
  const packed = database
    .prepare('select hash, location from blob where location is not null order by hash limit 1')
    .get() as { hash: Buffer; location: string }
  const { pack, offset, length } = parseLocation(packed.location as never)!
  flipOctet(join(packs, `${pack}.pack`), offset + headerBytes(length) + (length >> 1))
  const gone = database
    .prepare(
      'select hash, id from account_blob where hash in (select hash from blob where data is not null) group by hash having count(*) = 1 order by hash desc limit 1',
    )
    .get() as { hash: Buffer; id: number }
  database.prepare('delete from blob where hash = ?').run(gone.hash)
  return [
    lasting('an octet in the database is changed', inside.hash, 'blob-content'),
    lasting('an octet in a pack is changed', packed.hash, 'blob-content'),
    lasting('a blob is gone', gone.hash, 'blob-reference', gone.id),
  ]
}

function flipOctet(file: string, at: number): void {
  const handle = openSync(file, 'r+')
  try {
    const octet = Buffer.alloc(1)
    readSync(handle, octet, 0, 1, at)
    octet[0]! ^= 1
    writeSync(handle, octet, 0, 1, at)
  } finally {
    closeSync(handle)
  }
}
