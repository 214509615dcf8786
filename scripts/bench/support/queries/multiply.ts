/**
 * Makes a mailbox of very many emails out of some thousand, in the file of a stopped server: every email again and again, in threads of its
 * own, at other times and with other subjects. The copies share their messages, and are not in the search index.
 */
import Database from 'better-sqlite3'

/** Octets by which numbers of copies differ: above all numbers that the account has given out. */
const STEP = 100_000

/** @param count emails that the mailbox has afterwards, at least */
export function multiplyEmails(file: string, count: number): void {
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -524288')
  const { account, first } = db
    .prepare('select account, count(*) as first from email group by account order by first desc limit 1')
    .get() as { account: number; first: number }
  const { next } = db.prepare('select next_object as next from account where id = ?').get(account) as { next: number }
  if (next > STEP) throw new Error(`the account has given out ${next} numbers, which is too many to multiply`)
  const copies = Math.ceil(count / first) - 1
  const tables: readonly [table: string, columns: string, values: string][] = [
    [
      'email',
      'account, id, thread, blob, size, received_at, sent_at, has_attachment, unread, keywords, mailboxes, from_sort, to_sort, subject_sort, packed, structure, source, created_at',
      `account, id + :by, thread + :by, blob, size + :k % 977, received_at - :k * 60000, sent_at - :k * 61000, (id + :k) % 9 = 0, unread, keywords, mailboxes,
       from_sort, to_sort, substr(subject_sort, 1, 12) || (id * 7919 + :k * 104729) % 1000003, packed, structure, source, created_at`,
    ],
    [
      'email_mailbox',
      'account, mailbox, received_at, email',
      'account, mailbox, received_at - :k * 60000, email + :by',
    ],
    [
      'email_keyword',
      'account, keyword, received_at, email',
      'account, keyword, received_at - :k * 60000, email + :by',
    ],
    [
      'thread',
      'account, id, total, unread_elsewhere, unread_in_trash, created_at, latest_at, latest_email',
      'account, id + :by, total, unread_elsewhere, unread_in_trash, created_at, latest_at - :k * 60000, latest_email + :by',
    ],
    ['thread_mailbox', 'account, thread, mailbox, total, unread', 'account, thread + :by, mailbox, total, unread'],
  ]
  const copy = tables.map(([table, columns, values]) => {
    const number = table === 'email' || table === 'thread' ? 'id' : table === 'thread_mailbox' ? 'thread' : 'email'
    return db.prepare(
      `insert into ${table} (${columns}) select ${values} from ${table} where account = :account and ${number} < ${STEP}`,
    )
  })
  for (let k = 1; k <= copies; k++)
    db.transaction(() => {
      for (const statement of copy) statement.run({ account, by: k * STEP, k })
    })()
  db.prepare('update account set next_object = ?, used_bytes = used_bytes * ? where id = ?').run(
    (copies + 1) * STEP,
    copies + 1,
    account,
  )
  db.prepare(
    `update mailbox set total_emails = total_emails * :n, unread_emails = unread_emails * :n, total_threads = total_threads * :n,
     unread_threads = unread_threads * :n, own_unread_threads = own_unread_threads * :n where account = :account`,
  ).run({ n: copies + 1, account })
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}
