/**
 * Makes bounces with Debian's Postfix, Exim, sendmail, OpenSMTPD and Cyrus (LMTP): each server in a file system and a network of its
 * own sends to peers that refuse in a known way, and what it returns is stored with the result that follows from that way. Needs root,
 * apt-get, unshare and overlayfs; takes some minutes.
 *
 *     server/node scripts/interop/make-bounces.ts --out DIR [--servers postfix,exim] [--work DIR]
 *     server/node scripts/interop/bounces.ts --made DIR
 *
 * The second command measures how we read them.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { EXIM } from './bounce-making/exim.ts'
import type { MailServer } from './bounce-making/mail-server.ts'
import { enter, inRoot, install, overlayIn, writeInto } from './bounce-making/namespace.ts'
import { OPENSMTPD } from './bounce-making/opensmtpd.ts'
import { CYRUS, POSTFIX } from './bounce-making/postfix.ts'
import { SENDMAIL } from './bounce-making/sendmail.ts'
import {
  DELAYS,
  ORIGIN,
  type Provocation,
  REMOTE,
  REQUIREMENTS,
  startWorld,
  type World,
} from './bounce-making/world.ts'

const SERVERS: readonly MailServer[] = [POSTFIX, EXIM, SENDMAIL, OPENSMTPD, CYRUS]
/** After the last bounce, in milliseconds. */
const PATIENCE_MS = 25_000
const POLL_MS = 500

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    work: { type: 'string', default: '/var/tmp/posthouse-bounces' },
    servers: { type: 'string', default: SERVERS.map(({ name }) => name).join() },
    /** Internal: the run of one server, in its namespaces. */
    inside: { type: 'string' },
    delays: { type: 'boolean', default: false },
  },
})
const { out, work } = values
if (out === undefined) throw new Error('--out DIR')
if (values.inside === undefined) outside(out)
else await inside(SERVERS.find(({ name }) => name === values.inside)!, out)

function outside(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const { name, packages, delayFiles } of SERVERS) {
    if (!values.servers.split(',').includes(name)) continue
    install(work, name, packages)
    for (const more of delayFiles === null ? [[]] : [[], ['--delays']]) {
      const again = [process.execPath, import.meta.filename, '--inside', name, '--out', folder, '--work', work, ...more]
      // When its first process ends, the kernel ends all others of the namespace.
      execFileSync('unshare', ['-n', '-m', '-u', '--pid', '--fork', '--mount-proc', ...again], { stdio: 'inherit' })
    }
  }
  const lists = readdirSync(folder).filter((name) => name.endsWith('.expected.json'))
  const all = lists.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown[])
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(all, null, 1))
  console.log(`${all.length} bounces in ${folder}`)
}

async function inside(server: MailServer, folder: string): Promise<void> {
  const overlay = overlayIn(work, server.name)
  enter(overlay)
  const world = await startWorld()
  writeInto(overlay.root, values.delays ? server.delayFiles! : server.files)
  inRoot(overlay, server.start)
  const common = values.delays
    ? DELAYS
    : [...server.own, ...(server.name === 'cyrus' ? [] : [...REMOTE, ...REQUIREMENTS])]
  const sent = common.filter(({ kind }) => !server.without.includes(kind))
  const accepted: Provocation[] = []
  for (const one of sent) {
    const refused = await submit(one, `s${accepted.length}@${ORIGIN}`)
    if (refused === null) accepted.push(one)
    else console.log(`${server.name} does not accept ${one.kind}: ${refused}`)
  }
  await untilQuiet(world, accepted.length)
  const label = `${server.name}${values.delays ? '-delays' : ''}`
  const lost = store(world, { accepted, server, label, folder })
  console.log(`${label}: ${accepted.length} sent, ${world.returned.length} returned`)
  for (const { kind } of lost) console.log(`  nothing came back: ${kind}`)
  process.exit(0)
}

/** null: it was accepted. */
async function submit(one: Provocation, sender: string): Promise<string | null> {
  const client = await connected()
  try {
    const recipients = [...(one.to ?? one.expected.map(({ address }) => address)), ...(one.alsoTo ?? [])]
    const mail = [one.mail ?? '', one.isUtf8 ? 'SMTPUTF8 BODY=8BITMIME' : ''].filter((part) => part !== '')
    await client.commands(['EHLO client.test', '250'], [[`MAIL FROM:<${sender}>`, ...mail].join(' '), '250'])
    for (const address of recipients)
      await client.commands([`RCPT TO:<${address}>${one.rcpt === undefined ? '' : ` ${one.rcpt}`}`, '25'])
    await client.commands(['DATA', '354'])
    client.write(message(one, sender, recipients))
    const reply = await client.command('.')
    return reply.startsWith('250') ? null : reply
  } catch (error) {
    return (error as Error).message
  } finally {
    client.end()
  }
}

async function connected(): Promise<SmtpClient> {
  for (let tries = 0; ; tries++) {
    try {
      return await SmtpClient.connect(25)
    } catch (error) {
      if (tries > 40) throw error
      await sleep(POLL_MS)
    }
  }
}

/** Its body speaks of another failure, which a reader must not take for this one. */
function message(one: Provocation, sender: string, recipients: readonly string[]): string {
  const lines = ['Hello,', '', 'they said "550 5.1.1 <zoe@elsewhere.test>: user unknown" to me.']
  while (lines.join('\r\n').length < (one.size ?? 0))
    lines.push('More of the same, line by line, until it is long enough.')
  return `${[
    ...(one.fields ?? []),
    `From: Sender <${sender}>`,
    `To: ${recipients.map((address) => `<${address}>`).join(', ')}`,
    `Subject: ${one.isUtf8 ? 'Grüße' : 'Greetings'}`,
    `Message-ID: <${sender}>`,
    'Date: Mon, 1 Jun 2026 10:00:00 +0000',
    '',
    ...lines,
  ].join('\r\n')}\r\n`
}

async function untilQuiet(world: World, many: number): Promise<void> {
  let seen = 0
  let quiet = 0
  while (quiet < PATIENCE_MS) {
    await sleep(POLL_MS)
    quiet = world.returned.length > seen ? 0 : quiet + POLL_MS
    seen = world.returned.length
    if (seen > 2 * many) return
  }
}

interface Run {
  readonly accepted: readonly Provocation[]
  readonly server: MailServer
  readonly label: string
  readonly folder: string
}

/** @returns the provocations for which nothing came back */
function store(world: World, { accepted, server, label, folder }: Run): Provocation[] {
  const missing = new Set(accepted)
  const rows = world.returned.flatMap(({ rcpt, data }, i) => {
    const one = accepted[Number(/<s(\d+)@/.exec(rcpt[0] ?? '')?.[1] ?? -1)]
    if (!one) return []
    missing.delete(one)
    const file = `${label}-${i}.eml`
    // RFC 5321 4.4: the final system adds the return path. RFC 5321 4.5.2: dots were added.
    const text = data.toString('latin1').replace(/^\.\./gm, '.')
    writeFileSync(join(folder, file), `Return-Path: <>\r\n${text}`, 'latin1')
    const expected = server.vague?.test(text)
      ? named(one, text).map(({ address }) => ({ address, action: 'delayed', class: 'soft' }))
      : named(one, text)
    return [{ file, server: label, kind: one.kind, expected }]
  })
  writeFileSync(join(folder, `${label}.expected.json`), JSON.stringify(rows, null, 1))
  return [...missing]
}

/** A server may report the recipients of one message in several mails. */
function named({ expected }: Provocation, text: string): Provocation['expected'] {
  if (expected.length === 1) return expected
  const fields = text.match(/^Final-Recipient:.*$/gim)
  const head = fields?.join('\n') ?? text.split(/^-+ This is a copy of/m)[0]!
  return expected.filter(({ address }) => head.includes(address))
}
