/**
 * Imports from real IMAP servers: every message must arrive with its octets, folder, flags and date. Then a second run must import nothing,
 * and an undo must leave the mailbox as before. With --kills the server is killed that often, each time at a random point of what is left
 * to import, as its rows say; at least four fifths of the kills must come in the middle. Exits 1 on any difference.
 *
 *     server/node scripts/interop/imap-imports.ts [--peers dovecot,cyrus] [--messages 20000] [--folders 60] [--octets 10000] [--kills 50]
 *         [--engine sqlite|postgres] [--cyrus DIR] [--seed 1]
 *
 * It runs as root, with the peers of Debian: dovecot-imapd; cyrus-imapd and sasl2-bin. Debian does not install dovecot-imapd and cyrus-imapd
 * beside each other. With cyrus-common installed, the programs of cyrus-imapd may be in any folder:
 *
 *     apt-get download cyrus-imapd && dpkg -x cyrus-imapd_*.deb /tmp/cyrus    then: --cyrus /tmp/cyrus/usr/lib/cyrus/bin
 *
 * 20,000 messages and 50 kills take some 15 minutes for each peer on two cores: each start of the server costs two seconds, filling Cyrus two
 * minutes. On PostgreSQL each kill costs a minute more, until the lease of the dead process ends.
 */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { pathsOf } from '../../server/cli/transfer/folder-tree.ts'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { randomFrom } from '../crash/support/random.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { startCyrusImap } from './support/cyrus-imap.ts'
import { type ImapPeer, startDovecot } from './support/dovecot.ts'
import { type MadeMessage, makeMail, memoryFolder, writeMaildir } from './support/imap-mail.ts'
import { ImportSubject, type ImportView } from './support/import-subject.ts'

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: 'dovecot' },
    messages: { type: 'string', default: '20000' },
    folders: { type: 'string', default: '60' },
    octets: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '0' },
    engine: { type: 'string', default: 'sqlite' },
    cyrus: { type: 'string', default: '/usr/lib/cyrus/bin' },
    seed: { type: 'string', default: '1' },
  },
})
const [messages, folders, octets] = [
  wholeNumber(values, 'messages'),
  wholeNumber(values, 'folders'),
  wholeNumber(values, 'octets'),
]
const kills = wholeNumber(values, 'kills', 0)
const random = randomFrom(wholeNumber(values, 'seed', 0))
const [engine] = enginesIn(values.engine)
const POLL_MS = 200
/** Messages that are read back at a time. */
const READ_AT_ONCE = 8
/** Share of the kills that must come while messages are imported. */
const MIDDLE_SHARE = 0.8
const PATIENCE_MS = 1_800_000

const PEERS: { readonly [name: string]: (mail: () => Iterable<MadeMessage>) => Promise<ImapPeer> } = {
  async dovecot(mail) {
    const root = memoryFolder('posthouse-maildir-')
    writeMaildir(root, mail())
    const peer = await startDovecot(root)
    const stop = async () => {
      await peer.stop()
      rmSync(root, { recursive: true, force: true })
    }
    return { ...peer, stop }
  },
  cyrus: (mail) => startCyrusImap(mail, values.cyrus),
}

const names = values.peers.split(',')
for (const name of names) if (!(name in PEERS)) throw new Error(`--peers names ${Object.keys(PEERS)}, not '${name}'`)

async function importAll(subject: ImportSubject, { port, user, password }: ImapPeer): Promise<string> {
  const source = { type: 'imap', provider: 'imap', email: user, password, host: '127.0.0.1', port, security: 'tls' }
  return (await subject.call('POST', '', { source, options: { include_spam: true, include_trash: true } })).id
}

async function finished(subject: ImportSubject, id: string, statuses: readonly string[]): Promise<ImportView> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(POLL_MS)) {
    const view = await subject.call('GET', `/${id}`)
    if (statuses.includes(view.status)) return view
    if (view.status === 'failed') throw new Error(`the import failed: ${view.error?.message}`)
  }
  throw new Error('the import does not end')
}

const lineOf = (path: string, sha: string, keywords: readonly string[], receivedAt: number) =>
  [path, sha, keywords.toSorted().join(','), new Date(receivedAt).toISOString()].join(' | ')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function stored(subject: ImportSubject): Promise<string[]> {
  const account = await subject.account()
  const mailboxes = await account.mailboxes()
  const paths = pathsOf(mailboxes)
  const lines: string[] = []
  for (const { id, role } of mailboxes)
    for await (const emails of account.emails(id))
      for (let i = 0; i < emails.length; i += READ_AT_ONCE) {
        const path = role === null ? paths.get(id)!.join('/') : role
        const read = emails.slice(i, i + READ_AT_ONCE).map(async ({ blobId, keywords, receivedAt }) => {
          const sha = sha256(await account.download(blobId))
          return lineOf(path, sha, Object.keys(keywords), Date.parse(receivedAt))
        })
        lines.push(...(await Promise.all(read)))
      }
  return lines.sort()
}

/** Folders with a role keep the name that they have here. */
const ROLES: { readonly [name: string]: string } = { '': 'inbox', Sent: 'sent', Drafts: 'drafts' }

async function judge(name: string): Promise<number> {
  const made = () => makeMail(messages, folders, octets)
  const keep = name === 'dovecot' ? (keyword: string) => keyword !== '$forwarded' : () => true
  const expected = Array.from(made(), (one) => {
    const path = one.path.join('/')
    return lineOf(ROLES[path] ?? path, sha256(one.octets), one.keywords.filter(keep), one.receivedAt)
  }).sort()
  const filling = performance.now()
  const peer = await PEERS[name]!(made)
  console.log(`${name}: filled in ${secondsSince(filling)} s`)
  const subject = new ImportSubject(peer.ca, engine === 'postgres' ? await freshDatabase() : null)
  try {
    await subject.start()
    const before = (await (await subject.account()).mailboxes()).map((mailbox) => mailbox.name).sort()
    const [cpu, begun] = [subject.cpu(), performance.now()]
    const id = await importAll(subject, peer)
    const middle = kills > 0 ? await subject.kill(kills, messages, random) : 0
    const { counters, failures } = await finished(subject, id, ['completed'])
    const used = kills === 0 ? `${((subject.cpu() - cpu) / messages).toFixed(2)} ms of CPU each, ` : ''
    console.log(`${name}: ${messages} messages in ${folders} folders, ${engine}, ${used}${secondsSince(begun)} s`)
    console.log(
      `${name}: ${JSON.stringify(counters)} ${failures.length > 0 ? JSON.stringify(failures.slice(0, 3)) : ''}`,
    )
    if (kills > 0) console.log(`${name}: ${kills} kills, ${middle} of them in the middle of the import`)
    const found = await stored(subject)
    let faults = differences(name, expected, found)
    if (middle < kills * MIDDLE_SHARE) {
      console.log(`${name}: too few kills came in the middle`)
      faults++
    }
    const again = await finished(subject, await importAll(subject, peer), ['completed'])
    console.log(
      `${name}: the second run imported ${again.counters['imported']}, ${again.counters['duplicates']} were there`,
    )
    faults += again.counters['imported']!
    faults += differences(`${name} after the second run`, expected, await stored(subject))
    await subject.call('POST', `/${id}/undo`)
    await finished(subject, id, ['undone', 'undo_failed'])
    faults += differences(`${name} after the undo`, [], await stored(subject))
    const after = (await (await subject.account()).mailboxes()).map((mailbox) => mailbox.name).sort()
    faults += differences(`${name} folders after the undo`, before, after)
    return faults
  } finally {
    await subject.remove()
    await peer.stop()
    console.log(`${name}: ${secondsSince(filling)} s for all`)
  }
}

function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(1)
}

function differences(what: string, expected: readonly string[], found: readonly string[]): number {
  const [wanted, there] = [new Set(expected), new Set(found)]
  const missing = expected.filter((line) => !there.has(line))
  const extra = found.filter((line) => !wanted.has(line))
  const faults = missing.length + extra.length + Math.abs(found.length - expected.length)
  console.log(
    `${what}: ${found.length} of ${expected.length}, ${missing.length} missing or changed, ${extra.length} unexpected`,
  )
  for (const line of [...missing.slice(0, 3), ...extra.slice(0, 3)]) console.log(`  ${line}`)
  return faults
}

let faults = 0
for (const name of names) faults += await judge(name)
await stopOwnPostgres()
process.exit(faults > 0 ? 1 : 0)
