/** Real name servers on free ports of loopback: BIND (Debian: bind9) with one zone that takes updates, and PowerDNS (pdns-server, pdns-backend-sqlite3). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../bench/support/ports.ts'

export interface NameServer {
  readonly name: string
  /** Of its DNS. */
  readonly port: number
  /** Settings of Posthouse by which it writes there. */
  readonly settings: readonly string[]
  readonly resolver: Resolver
  stop(): Promise<void>
}

const PATIENCE_MS = 20_000
const SECRET = Buffer.from('a secret key of thirty-two octets').toString('base64')

export async function startBind(zone: string): Promise<NameServer> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-bind-'))
  const port = await freePort()
  writeFileSync(
    join(folder, 'zone'),
    [
      '$TTL 3600',
      `@ SOA ns1.${zone}. hostmaster.${zone}. 1 3600 600 86400 60`,
      `@ NS ns1.${zone}.`,
      'ns1 A 127.0.0.1',
      '@ TXT "some-verification=of-others"',
      '@ TXT "v=spf1 include:_spf.others.example ~all"',
      '',
    ].join('\n'),
  )
  writeFileSync(
    join(folder, 'named.conf'),
    `options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; pid-file none; session-keyfile "${folder}/session"; };
controls { };
key "posthouse" { algorithm hmac-sha256; secret "${SECRET}"; };
zone "${zone}" { type primary; file "zone"; update-policy { grant posthouse zonesub ANY; }; };
`,
  )
  // Debian's profile of AppArmor and the user bind need no rights here: it runs as who runs the script.
  const child = spawn('named', ['-f', '-c', join(folder, 'named.conf')], { stdio: 'ignore' })
  const settings = [
    '--dns-provider=rfc2136',
    `--dns-provider-url=127.0.0.1:${port}`,
    `--dns-provider-key=posthouse:hmac-sha256:${SECRET}`,
    `--dns-name-servers=ns1.${zone}`,
  ]
  return running({ name: 'BIND', port, settings, child, folder, known: zone })
}

export async function startPowerdns(): Promise<NameServer> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-pdns-'))
  const [port, web] = [await freePort(), await freePort()]
  const database = join(folder, 'pdns.sqlite3')
  mkdirSync(join(folder, 'run'))
  const schema = readFileSync('/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql', 'utf8')
  execFileSync('sqlite3', [database], { input: schema })
  const options = {
    'config-dir': folder,
    'socket-dir': join(folder, 'run'),
    launch: 'gsqlite3',
    'gsqlite3-database': database,
    'local-address': '127.0.0.1',
    'local-port': port,
    api: 'yes',
    'api-key': 'key-1',
    webserver: 'yes',
    'webserver-address': '127.0.0.1',
    'webserver-port': web,
    'cache-ttl': 0,
    'negquery-cache-ttl': 0,
    'query-cache-ttl': 0,
    'zone-cache-refresh-interval': 0,
    daemon: 'no',
    guardian: 'no',
  }
  const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = spawn('pdns_server', words, { stdio: 'ignore' })
  await until(() => makeZone(web, 'dns-host.example'))
  const settings = [
    '--dns-provider=powerdns',
    `--dns-provider-url=http://127.0.0.1:${web}`,
    '--dns-provider-key=key-1',
    '--dns-name-servers=ns1.dns-host.example',
  ]
  return running({ name: 'PowerDNS', port, settings, child, folder, known: 'dns-host.example' })
}

/** The zone of the name server's own name. */
async function makeZone(web: number, zone: string): Promise<boolean> {
  const rrsets = [{ name: `ns1.${zone}.`, type: 'A', ttl: 60, records: [{ content: '127.0.0.1', disabled: false }] }]
  const body = JSON.stringify({ name: `${zone}.`, kind: 'Native', nameservers: [`ns1.${zone}.`], rrsets })
  const headers = { 'x-api-key': 'key-1', 'content-type': 'application/json' }
  const url = `http://127.0.0.1:${web}/api/v1/servers/localhost/zones`
  return (await fetch(url, { method: 'POST', headers, body }).catch(() => null))?.status === 201
}

interface Started extends Pick<NameServer, 'name' | 'port' | 'settings'> {
  readonly child: ChildProcess
  readonly folder: string
  /** A zone that it answers for. */
  readonly known: string
}

async function running({ child, folder, known, ...server }: Started): Promise<NameServer> {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.port}`])
  await until(() => resolver.resolveSoa(known).then(Boolean, () => false))
  return {
    ...server,
    resolver,
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isSo()); await pause(100))
    if (Date.now() > end) throw new Error('the name server does not answer')
}
