/**
 * A real Cyrus (Debian: cyrus-imapd, sasl2-bin, as root) on free ports of loopback, over TLS, with one user. Its mail is put there by APPEND
 * over some connections: only so does it have flags and dates.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { generate } from 'selfsigned'
import { freePort } from '../../bench/support/ports.ts'
import { answers, until } from './cyrus.ts'
import type { ImapPeer } from './dovecot.ts'
import { type MadeMessage, memoryFolder } from './imap-mail.ts'

/** Programs of cyrus-common. */
const COMMON = '/usr/lib/cyrus/bin'
/** Connections that put mail there. */
const LANES = 4
const PASSWORD = 'secret'
const USER = 'ada@example.org'

/** @param programs folder with imapd */
export async function startCyrusImap(mail: () => Iterable<MadeMessage>, programs: string): Promise<ImapPeer> {
  const folder = memoryFolder('posthouse-cyrus-imap-')
  const port = await freePort()
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  for (const name of ['conf/proc', 'conf/db', 'conf/log', 'conf/socket', 'spool', 'lock'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'key.pem'), key)
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'imapd.conf'), imapd(folder))
  writeFileSync(join(folder, 'cyrus.conf'), services(folder, port, programs))
  execFileSync('saslpasswd2', ['-p', '-c', '-f', join(folder, 'sasldb2'), '-u', 'example.org', 'ada'], {
    input: `${PASSWORD}\n`,
  })
  execFileSync('chown', ['-R', 'cyrus:mail', folder])
  const options = ['-C', join(folder, 'imapd.conf'), '-M', join(folder, 'cyrus.conf'), '-p', join(folder, 'pid'), '-D']
  const master = spawn('cyrmaster', options, { stdio: 'ignore' })
  await until(() => answers(port))
  await fill(port, cert, mail)
  return {
    port,
    user: USER,
    password: PASSWORD,
    ca: cert,
    cut() {},
    async stop() {
      const ended = once(master, 'exit')
      master.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

const FLAGS: { readonly [keyword: string]: string } = {
  $seen: '\\Seen',
  $answered: '\\Answered',
  $flagged: '\\Flagged',
  $draft: '\\Draft',
  $forwarded: '$Forwarded',
}

async function fill(port: number, ca: string, mail: () => Iterable<MadeMessage>): Promise<void> {
  const lanes = await Promise.all(Array.from({ length: LANES }, () => login(port, ca)))
  /** Lane by folder. */
  const folders = new Map<string, number>()
  for (const { path } of mail()) {
    const name = nameOf(path)
    if (!folders.has(name) && path.length > 0) await lanes[0]!.mailboxCreate([...path])
    if (!folders.has(name)) folders.set(name, folders.size % LANES)
  }
  const put = async (client: ImapFlow, lane: number) => {
    for (const { path, octets, keywords, receivedAt } of mail()) {
      const name = nameOf(path)
      if (folders.get(name) !== lane) continue
      const flags = keywords.map((keyword) => FLAGS[keyword] ?? keyword)
      await client.append(name, octets, flags, new Date(receivedAt))
    }
    await client.logout()
  }
  await Promise.all(lanes.map(put))
}

async function login(port: number, ca: string): Promise<ImapFlow> {
  const auth = { user: USER, pass: PASSWORD }
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: true, auth, tls: { ca }, logger: false })
  await client.connect()
  return client
}

function nameOf(path: readonly string[]): string {
  return path.length > 0 ? path.join('/') : 'INBOX'
}

function imapd(folder: string): string {
  return `configdirectory: ${folder}/conf
partition-default: ${folder}/spool
defaultpartition: default
mboxname_lockpath: ${folder}/lock
idlesocket: ${folder}/idle
notifysocket: ${folder}/notify
admins: cyrus
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: ${folder}/sasldb2
sasl_mech_list: PLAIN
virtdomains: userid
defaultdomain: internal.test
unixhierarchysep: yes
altnamespace: yes
autocreate_quota: 0
autocreate_users: anyone
autocreate_post: yes
tls_server_cert: ${folder}/cert.pem
tls_server_key: ${folder}/key.pem
`
}

function services(folder: string, port: number, programs: string): string {
  return `START {
  recover cmd="${COMMON}/ctl_cyrusdb -C ${folder}/imapd.conf -r"
}
SERVICES {
  imaps cmd="${programs}/imapd -s -C ${folder}/imapd.conf" listen="127.0.0.1:${port}" prefork=0
}
EVENTS {
}
`
}
