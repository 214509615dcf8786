/**
 * Imports from real IMAP servers: every message must arrive with its octets, folder, flags and date. Then a second run must import nothing,
 * and an undo must leave the mailbox as before. With --kills the server is killed that often, at least four fifths of them in the middle. Exits 1 on any difference.
 * The peers must be installed (Debian: dovecot-imapd; cyrus-imapd and sasl2-bin), and it runs as root. Debian does not install them beside
 * each other: run it for one after the other.
 *
 *     server/node scripts/interop/imap-imports.ts [--peers dovecot|cyrus] [--messages 20000] [--folders 60] [--octets 10000] [--kills 0]
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { pathsOf } from '../../server/cli/transfer/folder-tree.ts'
import { JmapAccount } from '../../server/cli/transfer/jmap-account.ts'
import { cpuMs } from '../bench/support/cpu.ts'
import { type Addresses, type Installation, type ServerProcess, setUp, startServer } from '../crash/support/process.ts'
import { randomFrom } from '../crash/support/random.ts'
import { wholeNumber } from '../whole-number.ts'
import { startCyrusImap } from './support/cyrus-imap.ts'
import { type ImapPeer, startDovecot } from './support/dovecot.ts'
import { type MadeMessage, makeMail, writeMaildir } from './support/imap-mail.ts'

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: 'dovecot' },
    messages: { type: 'string', default: '20000' },
    folders: { type: 'string', default: '60' },
    octets: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '0' },
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
const POLL_MS = 200
/** Share of the kills that must come while messages are imported. */
const MIDDLE_SHARE = 0.8
const PATIENCE_MS = 1_800_000

const PEERS: { readonly [name: string]: (mail: () => Iterable<MadeMessage>) => Promise<ImapPeer> } = {
  async dovecot(mail) {
    const root = mkdtempSync(join(tmpdir(), 'posthouse-maildir-'))
    writeMaildir(root, mail())
    const peer = await startDovecot(root)
    const stop = async () => {
      await peer.stop()
      rmSync(root, { recursive: true, force: true })
    }
    return { ...peer, stop }
  },
  cyrus: startCyrusImap,
}

interface ImportView {
  readonly id: string
  readonly status: string
  readonly counters: { readonly [name: string]: number }
  readonly error: { readonly message: string } | null
  readonly failures: readonly object[]
}

/** The server under test: it may be killed and started again on the same data. */
class Subject {
  readonly data = mkdtempSync(join(tmpdir(), 'posthouse-imports-'))
  readonly #settings: string[]
  #installation: Installation | null = null
  #server: ServerProcess | null = null
  #addresses: Addresses | null = null

  constructor(ca: string) {
    const file = join(this.data, 'ca.pem')
    writeFileSync(file, ca)
    this.#settings = ['--import-allow-private-cidrs=127.0.0.0/8', `--import-tls-ca=${file}`]
  }

  async start(): Promise<void> {
    this.#installation ??= await setUp(join(this.data, 'data'))
    this.#server = startServer(join(this.data, 'data'), [], this.#settings)
    this.#addresses = await this.#server.ready
    if (!this.#addresses) throw new Error('the server ended before it was ready')
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#server!.child.kill(signal)
    await this.#server!.exited
  }

  cpu(): number {
    return cpuMs(this.#server!.child.pid!)
  }

  account(): Promise<JmapAccount> {
    const { mailbox, api_key } = this.#installation!
    return JmapAccount.open(this.#addresses!.http, `Bearer ${api_key}`, mailbox.address)
  }

  async call(method: 'GET' | 'POST', path: string, body?: object): Promise<ImportView> {
    const { mailbox, api_key } = this.#installation!
    const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
    const url = `${this.#addresses!.http}/api/v1/mailboxes/${mailbox.id}/imports${path}`
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answer = (await response.json()) as ImportView
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
}

async function importAll(subject: Subject, { port, user, password }: ImapPeer): Promise<string> {
  const source = { type: 'imap', provider: 'imap', email: user, password, host: '127.0.0.1', port, security: 'tls' }
  return (await subject.call('POST', '', { source, options: { include_spam: true, include_trash: true } })).id
}

async function finished(subject: Subject, id: string, statuses: readonly string[]): Promise<ImportView> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(POLL_MS)) {
    const view = await subject.call('GET', `/${id}`)
    if (statuses.includes(view.status)) return view
    if (view.status === 'failed') throw new Error(`the import failed: ${view.error?.message}`)
  }
  throw new Error('the import does not end')
}

/** Kills the server in the middle of an import. @returns how many kills came while it ran and had not read everything */
async function kill(subject: Subject, id: string): Promise<number> {
  let middle = 0
  const each = messages / (kills + 1)
  for (let i = 1; i <= kills; i++) {
    const from = (await subject.call('GET', `/${id}`)).counters['processed']!
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(20)) {
      const { status, counters } = await subject.call('GET', `/${id}`)
      if (status === 'completed') return middle
      if (counters['processed']! >= from + each * 0.8 * random()) break
    }
    const { status, counters } = await subject.call('GET', `/${id}`)
    await subject.end('SIGKILL')
    if (status === 'running' && counters['processed']! < messages) middle++
    await subject.start()
  }
  return middle
}

const lineOf = (path: string, sha: string, keywords: readonly string[], receivedAt: number) =>
  [path, sha, keywords.toSorted().join(','), new Date(receivedAt).toISOString()].join(' | ')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function stored(subject: Subject): Promise<string[]> {
  const account = await subject.account()
  const mailboxes = await account.mailboxes()
  const paths = pathsOf(mailboxes)
  const lines: string[] = []
  for (const { id, role } of mailboxes)
    for await (const emails of account.emails(id))
      for (const { blobId, keywords, receivedAt } of emails) {
        const path = role === null ? paths.get(id)!.join('/') : role
        lines.push(lineOf(path, sha256(await account.download(blobId)), Object.keys(keywords), Date.parse(receivedAt)))
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
  const peer = await PEERS[name]!(made)
  const subject = new Subject(peer.ca)
  try {
    await subject.start()
    const before = (await (await subject.account()).mailboxes()).map((mailbox) => mailbox.name).sort()
    const [cpu, begun] = [subject.cpu(), performance.now()]
    const id = await importAll(subject, peer)
    const middle = await kill(subject, id)
    const { counters, failures } = await finished(subject, id, ['completed'])
    const used = kills === 0 ? `${((subject.cpu() - cpu) / messages).toFixed(2)} ms of CPU each, ` : ''
    console.log(
      `${name}: ${messages} messages in ${folders} folders, ${used}${((performance.now() - begun) / 1000).toFixed(1)} s`,
    )
    console.log(
      `${name}: ${JSON.stringify(counters)} ${failures.length > 0 ? JSON.stringify(failures.slice(0, 3)) : ''}`,
    )
    if (kills > 0) console.log(`${name}: ${kills} kills, ${middle} of them in the middle`)
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
    await subject.end('SIGTERM')
    await peer.stop()
    rmSync(subject.data, { recursive: true, force: true })
  }
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
for (const name of values.peers.split(',')) faults += await judge(name)
process.exit(faults > 0 ? 1 : 0)
