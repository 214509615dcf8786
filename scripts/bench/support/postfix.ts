/**
 * Postfix from the system's packages, as a separate instance in a folder: it accepts mail on loopback and relays all of it to one port,
 * or delivers it to a Maildir.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PostfixInstance {
  readonly port: number
  /** Messages in its queue that will be attempted at once. */
  waiting(): number
  /** Starts the queue; before, messages only come in. */
  drain(): void
  /** CPU of all its processes, in milliseconds. */
  cpuMs(): number
  stop(): void
}

const POSTFIX = '/usr/sbin/postfix'

export function hasPostfix(): boolean {
  return existsSync(POSTFIX)
}

/** @param sink port of the server that gets all mail, over at most `connections` */
export function startPostfix(port: number, sink: number, connections: number): PostfixInstance {
  const relay = {
    mydestination: '',
    relayhost: `[127.0.0.1]:${sink}`,
    smtp_tls_security_level: 'none',
    default_destination_concurrency_limit: String(connections),
    initial_destination_concurrency: String(connections),
  }
  const { config, queue, run, instance } = launch(port, () => relay, false)
  return {
    ...instance,
    waiting: () => ['incoming', 'active', 'deferred'].reduce((sum, name) => sum + filesIn(join(queue, name)), 0),
    drain() {
      writeFileSync(join(config, 'master.cf'), masterConfig(port, true))
      run('reload')
    },
  }
}

export interface PostfixMaildir {
  readonly port: number
  /** Messages in the Maildir. */
  delivered(): number
  cpuMs(): number
  stop(): void
}

/** @param domain all its addresses are the same mailbox */
export function startPostfixMaildir(port: number, domain: string): PostfixMaildir {
  const [uid, gid] = ['-u', '-g'].map((flag) => execFileSync('id', [flag, 'postfix'], { encoding: 'utf8' }).trim())
  const virtual = (mail: string) => ({
    mydestination: '',
    virtual_mailbox_domains: domain,
    virtual_mailbox_base: mail,
    virtual_mailbox_maps: 'static:all/',
    virtual_mailbox_limit: '0',
    virtual_minimum_uid: '1',
    virtual_uid_maps: `static:${uid}`,
    virtual_gid_maps: `static:${gid}`,
    virtual_destination_concurrency_limit: '20',
  })
  const { mail, instance } = launch(port, virtual, true)
  return { ...instance, delivered: () => filesIn(join(mail, 'all/new')) }
}

function launch(port: number, settings: (mail: string) => Record<string, string>, drains: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-postfix-'))
  const paths = ['etc', 'queue', 'data', 'mail'].map((name) => join(folder, name))
  const [config, queue, data, mail] = paths as [string, string, string, string]
  for (const path of paths) mkdirSync(path)
  chmodSync(folder, 0o755)
  execFileSync('chown', ['postfix', data, mail])
  writeFileSync(join(config, 'main.cf'), mainConfig(queue, data, settings(mail)))
  writeFileSync(join(config, 'master.cf'), masterConfig(port, drains))
  const run = (...args: string[]) => execFileSync(POSTFIX, ['-c', config, ...args], { stdio: 'pipe' })
  run('start')
  const instance = {
    port,
    cpuMs: () => cpuOfFamily(Number(readFileSync(join(queue, 'pid/master.pid'), 'utf8'))),
    stop() {
      run('stop')
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  return { config, queue, mail, run, instance }
}

function filesIn(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
}

const TICK_MS = 10

/** CPU of a process, its living children and its ended ones (proc(5): utime, stime, cutime, cstime). */
function cpuOfFamily(pid: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name) || !existsSync(`/proc/${name}/stat`)) continue
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const isChild = Number(fields[1]) === pid
    if (isChild || Number(name) === pid) ticks += Number(fields[11]) + Number(fields[12])
    if (Number(name) === pid) ticks += Number(fields[13]) + Number(fields[14])
  }
  return ticks * TICK_MS
}

function mainConfig(queue: string, data: string, more: Record<string, string>): string {
  const lines = {
    compatibility_level: '3.6',
    queue_directory: queue,
    data_directory: data,
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    myhostname: 'mail.example.test',
    local_recipient_maps: '',
    alias_maps: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    smtpd_tls_security_level: 'none',
    default_process_limit: '100',
    // It would slow down incoming mail, because nothing is sent yet.
    in_flow_delay: '0',
    ...more,
  }
  return Object.entries(lines)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}

function masterConfig(port: number, drains: boolean): string {
  return [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'cleanup unix n - n - 0 cleanup',
    ...(drains ? ['qmgr unix n - n 300 1 qmgr'] : []),
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'virtual unix - n n - - virtual',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'scache unix - - n - 1 scache',
    'anvil unix - - n - 1 anvil',
    'proxymap unix - - n - - proxymap',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    '',
  ].join('\n')
}
