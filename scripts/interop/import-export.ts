/**
 * Round trips by command: real messages move in from a Maildir, out in each form, and in again. Every message must come back with the same
 * SHA-256. Imports of mbox and zip store messages with the same identity once (decision D12): these are listed. Exits 1 if another is lost.
 *
 *     server/node scripts/interop/import-export.ts [--messages 500] [--corpora /path/with/eml/files]
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { identityOf } from '../../jmap/imports/identity.ts'
import { parseMessage } from '../../jmap/message/structure.ts'
import { withCrlf } from '../../server/base/line-ends.ts'
import { run } from '../../server/cli/run.ts'
import { JmapAccount } from '../../server/cli/transfer/jmap-account.ts'
import { emlFiles, OWN_CORPUS, SHARED_CORPORA } from '../../spec/support/corpora.ts'
import { setUp, startServer } from '../crash/support/process.ts'
import { wholeNumber } from '../whole-number.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '500' }, corpora: { type: 'string' } },
})
const limit = wholeNumber(values, 'messages')
const corpora = values.corpora ?? (existsSync(SHARED_CORPORA) ? SHARED_CORPORA : OWN_CORPUS)
const sha = (octets: Uint8Array) => createHash('sha256').update(octets).digest('hex')

const folder = mkdtempSync(join(tmpdir(), 'posthouse-round-trip-'))
const data = join(folder, 'data')
const { mailbox, api_key } = await setUp(data)
const server = startServer(data)
const ready = await server.ready
if (!ready) throw new Error('the server ended before it was ready')
const { http } = ready

async function command(...args: string[]): Promise<void> {
  const code = await run([...args, `--server=${http}`, `--data=${data}`], {
    environment: {},
    isInteractive: false,
    print: (text) => void process.stdout.write(`${args.slice(0, 2).join(' ')}: ${text}`),
    printError: (text) => void process.stderr.write(text),
    readInput: async () => `${mailbox.password}\n`,
    ask: async () => null,
    stopRequested: new Promise(() => {}),
    kill() {},
  })
  if (code === 2) throw new Error(`${args.join(' ')} is a wrong command`)
}

async function call<T>(path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${http}/api/v1/${path}`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

const { data: domains } = await call<{ data: { id: string }[] }>('domains')

async function newMailbox(name: string): Promise<string> {
  return (await call<{ address: string }>('mailboxes', { address: name, domain_id: domains[0]!.id })).address
}

/** SHA-256 of each message of a mailbox, once. */
async function hashes(address: string): Promise<Set<string>> {
  const account = await JmapAccount.open(http, `Bearer ${api_key}`, address)
  const found = new Set<string>()
  for await (const emails of account.emails(null))
    for (const { blobId } of emails) found.add(sha(await account.download(blobId)))
  return found
}

/** @returns how many are lost or changed */
function compare(
  what: string,
  expected: ReadonlySet<string>,
  found: ReadonlySet<string>,
  identities: ReadonlyMap<string, string> = new Map(),
): number {
  const missing = [...expected].filter((one) => !found.has(one))
  const extra = [...found].filter((one) => !expected.has(one)).length
  const there = new Set([...found].map((one) => identities.get(one)))
  const merged = missing.filter((one) => identities.has(one) && there.has(identities.get(one)))
  const lost = missing.filter((one) => !merged.includes(one))
  for (const one of lost) console.log(`${what}: ${one} is lost: ${names.get(one)}`)
  for (const one of merged) console.log(`${what}: another message is the same but for its transport: ${names.get(one)}`)
  console.log(
    `${what}: ${found.size} of ${expected.size} messages, ${lost.length} not the same, ${merged.length} with the identity of another, ${extra} others`,
  )
  return lost.length + extra
}

const given = join(folder, 'given')
for (const name of ['cur', 'new', 'tmp']) mkdirSync(join(given, name), { recursive: true })
const files = emlFiles(corpora)
const step = Math.max(1, Math.floor(files.length / limit))
const expected = new Set<string>()
/** By SHA-256: where a message is from, and its identity. */
const names = new Map<string, string>()
const identities = new Map<string, string>()
for (const [i, file] of files.filter((_, at) => at % step === 0).entries()) {
  const octets = await withCrlf(readFileSync(file))
  expected.add(sha(octets))
  names.set(sha(octets), file)
  identities.set(sha(octets), JSON.stringify(identityOf(octets, parseMessage(octets), Buffer.from(sha(octets), 'hex'))))
  writeFileSync(join(given, 'cur', `${i}.corpus:2,${i % 2 === 0 ? 'S' : 'FR'}`), octets)
}

let faults = 0
try {
  await command('import', 'maildir', given, `--mailbox=${mailbox.address}`)
  const stored = await hashes(mailbox.address)
  // Some files of the corpora are no messages and are refused; what was taken must not change.
  compare('in from the corpora', expected, stored)
  faults += [...stored].filter((one) => !expected.has(one)).length
  const [maildir, mbox, zip] = [join(folder, 'Maildir'), join(folder, 'mbox'), join(folder, 'mail.zip')]
  for (const [format, output] of [
    ['maildir', maildir],
    ['mbox', mbox],
    ['eml', zip],
  ] as const)
    await command('export', `--mailbox=${mailbox.address}`, `--format=${format}`, `--output=${output}`)
  const byMaildir = await newMailbox('maildir')
  await command('import', 'maildir', maildir, `--mailbox=${byMaildir}`)
  faults += compare('Maildir', stored, await hashes(byMaildir))
  const byJmap = await newMailbox('jmap')
  await command('import', 'jmap', http, `--mailbox=${byJmap}`, `--username=${mailbox.address}`, '--password-stdin')
  faults += compare('JMAP', stored, await hashes(byJmap))
  const byZip = await newMailbox('zip')
  await command('import', 'mbox', zip, `--mailbox=${byZip}`)
  faults += compare('zip of .eml', stored, await hashes(byZip), identities)
  const byMbox = await newMailbox('mbox')
  const mboxes = readdirSync(mbox, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mbox'))
  await command('import', 'mbox', ...mboxes.map((name) => join(mbox, name)), `--mailbox=${byMbox}`)
  faults += compare('mbox', stored, await hashes(byMbox), identities)
} finally {
  server.child.kill('SIGTERM')
  await server.exited
  rmSync(folder, { recursive: true, force: true })
}
process.exit(faults > 0 ? 1 : 0)
