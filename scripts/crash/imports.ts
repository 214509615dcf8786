/**
 * Promise P5 and decision D33: an import through kill -9 of the server. A mailbox has some mail; an mbox with some of that mail and much
 * other is imported while the server is killed again and again, then imported a second time, then the first import is undone, also
 * through kills. Exits 1 if a message was lost, doubled or changed, if the second import imported anything, if the undo left anything
 * else than what was there before, or if too few kills came in the middle.
 *
 *     server/node scripts/crash/imports.ts [--kills 50] [--messages 6000] [--seed 1] [--engine postgres]
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { type ImportClient, importClient } from '../bench/support/import-client.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { killAtWork, PROCESSED, UNDONE } from './support/import-kills.ts'
import { DATABASE } from './support/judge.ts'
import { openLook } from './support/look.ts'
import { setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    messages: { type: 'string', default: '6000' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const kills = wholeNumber(values, 'kills')
const count = wholeNumber(values, 'messages')
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** Share of the kills that must come while messages are imported or deleted. */
const MIDDLE_SHARE = 0.8
/** Of the kills, how many come during the undo. */
const UNDO_KILLS = Math.floor(kills / 5)
/** Messages that are there before. */
const BEFORE = 100
const OVER = ['completed', 'failed', 'undone', 'undo_failed']

const data = mkdtempSync(join(tmpdir(), 'posthouse-imports-'))
const [engine] = enginesIn(values.engine)
const database = engine === 'postgres' ? await freshDatabase() : null
const settings = database ? [`--database=${database.url}`] : []
const { mailbox, api_key } = await setUp(data, settings)
const imports: ImportClient = importClient(api_key, mailbox.id)
console.log(`imports: ${kills} kills, ${count} messages, seed ${values.seed}, ${engine}`)

/** Every tenth has the Message-ID of the one before and another text. */
function message(n: number): string {
  const id = n % 10 === 9 ? n - 1 : n
  const words = Array.from({ length: 40 }, () => Math.floor(random() * 1e9).toString(36)).join(' ')
  return `From: a${n}@example.org\nTo: hello@example.test\nSubject: Moved ${n}\nMessage-ID: <${id}@moved.example>\nDate: Fri, 2 Jan 2015 08:00:00 +0000\n\n${words}\n`
}

const texts = Array.from({ length: count }, (_, n) => message(n))
const mboxOf = (some: readonly string[]) =>
  some.map((text, n) => `From x Fri Jan 02 08:00:00 2015\nStatus: ${n % 2 ? 'RO' : 'O'}\n${text}\n`).join('')
const beforeFile = join(data, 'Before.mbox')
const file = join(data, 'Moved.mbox')
writeFileSync(beforeFile, mboxOf(texts.slice(0, BEFORE)))
writeFileSync(file, mboxOf(texts))

/** Digests of the expected messages. */
const expected = texts.map((text) => createHash('sha256').update(text.replaceAll('\n', '\r\n')).digest('hex')).sort()

/** What the mailbox holds: emails with ids, folders, keywords and digests; folders with counts. */
async function content(): Promise<{ digests: string[]; all: string }> {
  const look = await openLook(database?.url ?? join(data, DATABASE))
  try {
    const hex = engine === 'postgres' ? "encode(b.hash, 'hex')" : 'lower(hex(b.hash))'
    const emails = await look.rows(
      `select e.id, e.mailboxes, e.keywords, e.size, ${hex} as digest from email e
        join account_blob b on b.account = e.account and b.id = e.blob order by e.id`,
    )
    const folders = await look.rows(
      'select id, name, parent, total_emails, unread_emails, total_threads from mailbox order by account, id',
    )
    const [used] = await look.rows("select used_bytes from account where kind = 'mailbox'")
    return {
      digests: emails.map(({ digest }) => String(digest)).sort(),
      all: JSON.stringify([emails, folders, used]),
    }
  } finally {
    await look.close()
  }
}

let middle = 0

/** Runs the server until the work is over, killing it on the way. */
async function through(times: number, id: string, progress: string, whole: number) {
  const look = await openLook(database?.url ?? join(data, DATABASE))
  middle += await killAtWork(times, { look, start: () => startServer(data, [], settings), random, progress, whole })
  await look.close()
  return during((http) => imports.until(http, id, OVER))
}

async function during<T>(work: (http: string) => Promise<T>): Promise<T> {
  const server = startServer(data, [], settings)
  const ready = await server.ready
  if (!ready) throw new Error('the server ended before it was ready')
  const result = await work(ready.http)
  server.child.kill('SIGTERM')
  await server.exited
  return result
}

const faults: string[] = []
const begun = performance.now()
await during(async (http) => imports.until(http, (await imports.start(http, beforeFile)).id, OVER))
const before = await content()
const { id } = await during((http) => imports.start(http, file))
const done = await through(kills - UNDO_KILLS, id, PROCESSED, count)
const { imported, duplicates, processed, total } = done.counters
console.log(`imports: ${done.status}, ${imported} imported, ${duplicates} duplicates of ${total}`)
if (done.status !== 'completed' || imported !== count - BEFORE || processed !== total) faults.push(JSON.stringify(done))
const after = await content()
if (after.digests.join() !== expected.join()) {
  const found = new Set(after.digests)
  const lost = expected.filter((digest) => !found.has(digest)).length
  faults.push(`${lost} messages lost or changed, ${after.digests.length - new Set(after.digests).size} doubled`)
}
const again = await during(async (http) => imports.until(http, (await imports.start(http, file)).id, OVER))
console.log(`imports: a second import imported ${again.counters.imported}`)
if (again.counters.imported !== 0 || again.counters.duplicates !== count) faults.push(JSON.stringify(again))
await during((http) => imports.act(http, id, 'undo'))
const undone = await through(UNDO_KILLS, id, UNDONE, count - BEFORE)
if (undone.status !== 'undone' || undone.counters.undone !== count - BEFORE) faults.push(JSON.stringify(undone))
if ((await content()).all !== before.all) faults.push('the undo left another mailbox than before')
if (middle < kills * MIDDLE_SHARE) faults.push('too few kills came in the middle')
console.log(
  `imports: ${kills} kills, ${middle} of them in the middle, ${kills - middle} after the end; ${((performance.now() - begun) / 1000).toFixed(0)} s`,
)
for (const fault of faults) console.log(`imports: ${fault.slice(0, 2_000)}`)
if (faults.length > 0) process.exitCode = 1

await database?.drop()
await stopOwnPostgres()
rmSync(data, { recursive: true, force: true })
console.log(process.exitCode === 1 ? 'imports: FAILED' : 'imports: ok')
