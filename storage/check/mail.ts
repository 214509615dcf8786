import type { Reader } from '../ports.ts'
import type { EmailTable, MailboxTable, ThreadTable } from '../schema/tables.ts'
import { searchIndexOf } from '../search/engines.ts'
import type { Fault } from './check-store.ts'
import { checkTree } from './mailbox-tree.ts'

type EmailRow = Pick<
  EmailTable,
  'id' | 'thread' | 'blob' | 'size' | 'received_at' | 'unread' | 'keywords' | 'mailboxes'
>

/** Side tables, counts, threads, the search index and the used octets of one mailbox account, counted from its emails. */
export async function checkMail(reader: Reader, account: number): Promise<Fault[]> {
  const emails = await reader.sql.query((db) =>
    db
      .selectFrom('email')
      .select(['id', 'thread', 'blob', 'size', 'received_at', 'unread', 'keywords', 'mailboxes'])
      .where('account', '=', account),
  )
  const mailboxes = await reader.sql.query((db) => db.selectFrom('mailbox').selectAll().where('account', '=', account))
  const threads = await reader.sql.query((db) => db.selectFrom('thread').selectAll().where('account', '=', account))
  return [
    ...(await checkSideTables(reader, account, emails)),
    ...checkPlaces(account, emails, mailboxes),
    ...checkThreads(account, emails, threads, trashOf(mailboxes)),
    ...(await checkRefs(reader, account, threads)),
    ...checkCounts(account, emails, mailboxes),
    ...checkTree(account, mailboxes),
    ...(await checkSpread(reader, account, emails)),
    ...(await checkUsage(reader, account, emails)),
    ...(await checkIndex(reader, account, emails)),
  ]
}

function placesOf(email: EmailRow): number[] {
  return email.mailboxes === '' ? [] : email.mailboxes.split(',').map(Number)
}

/** null when the text is none that could have been written. */
function keywordsOf(email: EmailRow): Record<string, true> | null {
  try {
    return JSON.parse(email.keywords) as Record<string, true>
  } catch {
    return null
  }
}

function trashOf(mailboxes: readonly MailboxTable[]): number | undefined {
  return mailboxes.find(({ role }) => role === 'trash')?.id
}

async function checkSideTables(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const placed = await reader.sql.query((db) =>
    db.selectFrom('email_mailbox').selectAll().where('account', '=', account),
  )
  const tagged = await reader.sql.query((db) =>
    db.selectFrom('email_keyword').selectAll().where('account', '=', account),
  )
  const places = emails.flatMap((email) =>
    placesOf(email).map((mailbox) => `${mailbox} ${email.received_at} ${email.id}`),
  )
  const tags = emails.flatMap((email) =>
    Object.keys(keywordsOf(email) ?? {}).map((keyword) => `${keyword} ${email.received_at} ${email.id}`),
  )
  return [
    ...differences(
      account,
      'email-mailbox',
      places,
      placed.map((row) => `${row.mailbox} ${row.received_at} ${row.email}`),
    ),
    ...differences(
      account,
      'email-keyword',
      tags,
      tagged.map((row) => `${row.keyword} ${row.received_at} ${row.email}`),
    ),
  ]
}

function differences(account: number, kind: string, expected: readonly string[], actual: readonly string[]): Fault[] {
  const wanted = new Set(expected)
  const found = new Set(actual)
  return [
    ...expected.filter((key) => !found.has(key)).map((key) => ({ account, kind, detail: `${key} is missing` })),
    ...actual.filter((key) => !wanted.has(key)).map((key) => ({ account, kind, detail: `${key} should not be there` })),
  ]
}

function checkPlaces(account: number, emails: readonly EmailRow[], mailboxes: readonly MailboxTable[]): Fault[] {
  const known = new Set(mailboxes.map(({ id }) => id))
  const faults: Fault[] = []
  for (const email of emails) {
    const places = placesOf(email)
    if (places.length === 0 || !places.every((mailbox) => known.has(mailbox)))
      faults.push({ account, kind: 'email-mailbox', detail: `email ${email.id} is in '${email.mailboxes}'` })
    const keywords = keywordsOf(email)
    if (!keywords) faults.push({ account, kind: 'email-keyword', detail: `email ${email.id} has '${email.keywords}'` })
    else if (Boolean(email.unread) === Boolean(keywords['$seen'] || keywords['$draft']))
      faults.push({ account, kind: 'email-unread', detail: `email ${email.id}` })
  }
  return faults
}

function checkThreads(
  account: number,
  emails: readonly EmailRow[],
  threads: readonly ThreadTable[],
  trash?: number,
): Fault[] {
  const faults: Fault[] = []
  const members = Map.groupBy(emails, ({ thread }) => thread)
  for (const thread of threads) {
    const own = members.get(thread.id) ?? []
    members.delete(thread.id)
    const latest = own.toSorted((a, b) => b.received_at - a.received_at || b.id - a.id)[0]
    const unread = own.filter((email) => email.unread)
    const expected = {
      total: own.length,
      unread_elsewhere: unread.filter((email) => placesOf(email).some((mailbox) => mailbox !== trash)).length,
      unread_in_trash: unread.filter((email) => placesOf(email).some((mailbox) => mailbox === trash)).length,
      latest_at: latest?.received_at,
      latest_email: latest?.id,
    }
    for (const [name, value] of Object.entries(expected))
      if (thread[name as keyof ThreadTable] !== value)
        faults.push({
          account,
          kind: 'thread',
          detail: `thread ${thread.id}: ${name} is ${thread[name as keyof ThreadTable]}, not ${value}`,
        })
  }
  for (const [thread] of members)
    faults.push({ account, kind: 'thread', detail: `thread ${thread} has emails but no row` })
  return faults
}

/** A reference to a thread that is gone would put the next answer nowhere. */
async function checkRefs(reader: Reader, account: number, threads: readonly ThreadTable[]): Promise<Fault[]> {
  const known = new Set(threads.map(({ id }) => id))
  const refs = await reader.sql.query((db) => db.selectFrom('thread_ref').selectAll().where('account', '=', account))
  return refs
    .filter(({ thread }) => !known.has(thread))
    .map(({ ref, thread }) => ({
      account,
      kind: 'thread-ref',
      detail: `${ref} leads to thread ${thread}, which is gone`,
    }))
}

function checkCounts(account: number, emails: readonly EmailRow[], mailboxes: readonly MailboxTable[]): Fault[] {
  const trash = trashOf(mailboxes)
  const unreadThreads = new Set<number>()
  const unreadInTrash = new Set<number>()
  for (const email of emails.filter(({ unread }) => unread)) {
    if (placesOf(email).some((mailbox) => mailbox !== trash)) unreadThreads.add(email.thread)
    if (placesOf(email).some((mailbox) => mailbox === trash)) unreadInTrash.add(email.thread)
  }
  const faults: Fault[] = []
  for (const mailbox of mailboxes) {
    const own = emails.filter((email) => placesOf(email).includes(mailbox.id))
    const threads = new Set(own.map(({ thread }) => thread))
    const counting = mailbox.id === trash ? unreadInTrash : unreadThreads
    const expected = {
      total_emails: own.length,
      unread_emails: own.filter(({ unread }) => unread).length,
      total_threads: threads.size,
      unread_threads: [...threads].filter((thread) => counting.has(thread)).length,
      own_unread_threads: new Set(own.filter(({ unread }) => unread).map(({ thread }) => thread)).size,
    }
    for (const [name, value] of Object.entries(expected))
      if (mailbox[name as keyof typeof expected] !== value)
        faults.push({
          account,
          kind: 'mailbox-count',
          detail: `${mailbox.name}: ${name} is ${mailbox[name as keyof typeof expected]}, not ${value}`,
        })
  }
  return faults
}

async function checkSpread(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const expected = new Map<string, { total: number; unread: number }>()
  for (const email of emails) {
    for (const mailbox of placesOf(email)) {
      const key = `${email.thread} ${mailbox}`
      const row = expected.get(key) ?? { total: 0, unread: 0 }
      expected.set(key, { total: row.total + 1, unread: row.unread + email.unread })
    }
  }
  const rows = await reader.sql.query((db) =>
    db.selectFrom('thread_mailbox').selectAll().where('account', '=', account),
  )
  return differences(
    account,
    'thread-mailbox',
    [...expected].map(([key, { total, unread }]) => `${key}: ${total} ${unread}`),
    rows.map((row) => `${row.thread} ${row.mailbox}: ${row.total} ${row.unread}`),
  )
}

async function checkUsage(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const used = emails.reduce((sum, { size }) => sum + size, 0)
  const [row] = await reader.sql.query((db) => db.selectFrom('account').select('used_bytes').where('id', '=', account))
  return row?.used_bytes === used
    ? []
    : [{ account, kind: 'quota', detail: `used_bytes is ${row?.used_bytes}, not ${used}` }]
}

/** Which rows the index has, against the emails that are marked as indexed. */
async function checkIndex(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const found = await searchIndexOf(reader.sql).indexed(reader, account)
  const expected = emails.filter(({ indexed }) => indexed === 1).map(({ id }) => String(id))
  return differences(account, 'search-index', expected, found.map(String))
}
