/** A real Cyrus (Debian: cyrus-imapd, cyrus-caldav, sasl2-bin, as root) on free ports of loopback, with one user: CalDAV, LMTP, and iMIP by its Sieve. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../bench/support/ports.ts'

const BIN = '/usr/lib/cyrus/bin'
const PASSWORD = 'secret'
/** vnd.cyrus.imip: calendar messages that arrive act. */
const SIEVE = 'require ["vnd.cyrus.imip"];\r\nprocessimip;\r\nkeep;\r\n'

export interface Cyrus {
  readonly address: string
  /** Delivers a message by LMTP. @returns the replies to DATA */
  deliver(from: string, message: Buffer): Promise<string>
  put(name: string, calendar: string): Promise<number>
  remove(name: string): Promise<number>
  /** The calendar objects of the default calendar, as text. */
  objects(): Promise<string[]>
  stop(): Promise<void>
}

interface Ports {
  readonly http: number
  readonly lmtp: number
  readonly sieve: number
  /** Where it sends mail. */
  readonly smtp: number
}

/** @param smtp port of a server that takes its mail */
export async function startCyrus(user: string, domain: string, smtp: number): Promise<Cyrus> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-cyrus-'))
  const ports: Ports = { http: await freePort(), lmtp: await freePort(), sieve: await freePort(), smtp }
  for (const name of ['conf/proc', 'conf/db', 'conf/log', 'conf/socket', 'spool', 'sieve', 'lock'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'imapd.conf'), imapd(folder, domain, ports))
  writeFileSync(join(folder, 'cyrus.conf'), services(folder, ports))
  execFileSync('saslpasswd2', ['-p', '-c', '-f', join(folder, 'sasldb2'), '-u', domain, user], {
    input: `${PASSWORD}\n`,
  })
  execFileSync('chown', ['-R', 'cyrus:mail', folder])
  const options = ['-C', join(folder, 'imapd.conf'), '-M', join(folder, 'cyrus.conf'), '-p', join(folder, 'pid'), '-D']
  const master = spawn('cyrmaster', options, { stdio: 'ignore' })
  const address = `${user}@${domain}`
  await until(async () => (await answers(ports.lmtp)) && (await answers(ports.http)) && (await answers(ports.sieve)))
  // The first message makes the mailbox, without which there are no calendars.
  await deliverTo(ports.lmtp, 'postmaster@example.org', address, Buffer.from('Subject: hello\r\n\r\nhello\r\n'))
  const dav = davOf(address, ports.http)
  await dav('PROPFIND', '', '')
  await activateSieve(ports.sieve, address)
  return {
    address,
    deliver: (from, message) => deliverTo(ports.lmtp, from, address, message),
    put: async (name, calendar) => (await dav('PUT', `Default/${name}.ics`, calendar)).status,
    remove: async (name) => (await dav('DELETE', `Default/${name}.ics`, '')).status,
    async objects() {
      const { text } = await dav('PROPFIND', 'Default/', '')
      const names = [...text.matchAll(/<D:href>[^<]*\/Default\/([^<]+\.ics)<\/D:href>/g)].map(([, name]) => name!)
      return Promise.all(names.map(async (name) => (await dav('GET', `Default/${name}`, '')).text))
    },
    async stop() {
      const ended = once(master, 'exit')
      master.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function imapd(folder: string, domain: string, { smtp }: Ports): string {
  return `configdirectory: ${folder}/conf
partition-default: ${folder}/spool
defaultpartition: default
mboxname_lockpath: ${folder}/lock
sievedir: ${folder}/sieve
lmtpsocket: ${folder}/lmtp
idlesocket: ${folder}/idle
notifysocket: ${folder}/notify
admins: cyrus
allowplaintext: yes
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: ${folder}/sasldb2
sasl_mech_list: PLAIN
virtdomains: userid
defaultdomain: internal.test
unixhierarchysep: yes
autocreate_quota: 0
autocreate_users: anyone
autocreate_post: yes
httpmodules: caldav
caldav_allowscheduling: on
caldav_create_default: yes
calendar_user_address_set: ${domain}
sieve_extensions: fileinto vnd.cyrus.imip
smtp_backend: host
smtp_host: 127.0.0.1:${smtp}
`
}

function services(folder: string, { http, lmtp, sieve }: Ports): string {
  const service = (name: string, command: string, port: number) =>
    `  ${name} cmd="${BIN}/${command} -C ${folder}/imapd.conf${name === 'lmtp' ? ' -a' : ''}" listen="127.0.0.1:${port}" prefork=0\n`
  return `START {
  recover cmd="${BIN}/ctl_cyrusdb -C ${folder}/imapd.conf -r"
}
SERVICES {
${service('http', 'httpd', http)}${service('lmtp', 'lmtpd', lmtp)}${service('sieve', 'timsieved', sieve)}}
EVENTS {
}
`
}

type Dav = (method: string, path: string, body: string) => Promise<{ readonly status: number; readonly text: string }>

function davOf(address: string, port: number): Dav {
  const authorization = `Basic ${Buffer.from(`${address}:${PASSWORD}`).toString('base64')}`
  return async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/dav/calendars/user/${address}/${path}`, {
      method,
      headers: { authorization, depth: '1', 'content-type': 'text/calendar; charset=utf-8' },
      ...(body !== '' && { body }),
    })
    return { status: answer.status, text: await answer.text() }
  }
}

/** A dialogue of lines: sends each and waits for an answer that ends it. */
async function dialogue(
  port: number,
  lines: readonly (string | Buffer)[],
  isEnd: (text: string) => boolean,
): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  const answered = async () => {
    await until(async () => isEnd(text))
    const all = text
    text = ''
    return all
  }
  try {
    await answered()
    let last = ''
    for (const line of lines) {
      socket.write(line)
      last = await answered()
    }
    return last
  } finally {
    socket.destroy()
  }
}

function deliverTo(port: number, from: string, to: string, message: Buffer): Promise<string> {
  const stuffed = message.toString('latin1').replaceAll(/^\./gm, '..')
  const lines = [
    'LHLO test\r\n',
    `MAIL FROM:<${from}>\r\n`,
    `RCPT TO:<${to}>\r\n`,
    'DATA\r\n',
    Buffer.from(`${stuffed}\r\n.\r\n`, 'latin1'),
  ]
  return dialogue(port, lines, (text) => /^\d{3} .*\r\n$/m.test(text))
}

/** RFC 5804 */
async function activateSieve(port: number, address: string): Promise<void> {
  const login = Buffer.from(`\0${address}\0${PASSWORD}`).toString('base64')
  const lines = [
    `AUTHENTICATE "PLAIN" "${login}"\r\n`,
    `PUTSCRIPT "imip" {${SIEVE.length}+}\r\n${SIEVE}\r\n`,
    'SETACTIVE "imip"\r\n',
  ]
  const answer = await dialogue(port, lines, (text) => /^(?:OK|NO|BYE)/m.test(text))
  if (!answer.startsWith('OK')) throw new Error(`Cyrus does not take the Sieve script: ${answer}`)
}

export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

const POLL_MS = 100
const TRIES = 300

export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries++) {
    if (tries === TRIES) throw new Error('nothing happened within 30 seconds')
    await sleep(POLL_MS)
  }
}
