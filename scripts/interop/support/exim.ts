/**
 * Exim from Debian's package, unpacked and not installed (it cannot be installed beside another mail server): it accepts mail on
 * loopback and relays all of it to one port. Needs apt-get and root, which may run as another user.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Peer } from './peer.ts'

const INSTALLED = '/usr/sbin/exim4'

export function startExim(port: number, relayTo: number): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-exim-'))
  const binary = existsSync(INSTALLED) ? INSTALLED : unpack(folder)
  const [spool, log] = ['spool', 'log'].map((name) => join(folder, name)) as [string, string]
  for (const path of [spool, log]) mkdirSync(path)
  execFileSync('chown', ['-R', 'Debian-exim:Debian-exim', folder])
  execFileSync('chmod', ['755', folder])
  const config = join(folder, 'etc')
  mkdirSync(config)
  writeFileSync(join(config, 'exim4.conf'), configuration(binary, port, relayTo, spool, log))
  // It keeps its privileges only with the configuration at its built-in path: the path is mounted for this process only.
  const place = `mkdir -p /etc/exim4 && mount --bind ${config} /etc/exim4 && exec ${binary} -bdf -q1m`
  const daemon = spawn('unshare', ['-m', 'sh', '-c', place], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    port,
    async stop() {
      const exited = once(daemon, 'exit')
      daemon.kill('SIGTERM')
      await exited
      // Delivering processes still write there.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function unpack(folder: string): string {
  const quiet = { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] as ('ignore' | 'pipe')[] }
  execFileSync('apt-get', ['download', 'exim4-daemon-light'], quiet)
  // Its one library that other programs seldom install.
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'libidn12'], quiet)
  execFileSync('sh', ['-c', 'dpkg -x exim4-daemon-light_*.deb exim'], quiet)
  // The user that Debian builds into it, and that its installation would create.
  const user = spawnSync('id', ['Debian-exim'], { stdio: 'ignore' })
  if (user.status !== 0) execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'Debian-exim'])
  return join(folder, 'exim/usr/sbin/exim4')
}

function configuration(binary: string, port: number, relayTo: number, spool: string, log: string): string {
  return `exim_path = ${binary}
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
spool_directory = ${spool}
log_file_path = ${log}/%slog
primary_hostname = exim.example.test
tls_advertise_hosts =
acl_smtp_rcpt = take
acl_smtp_data = take
accept_8bitmime = true
smtp_accept_max = 100
smtp_accept_queue_per_connection = 0
rfc1413_query_timeout = 0s
host_lookup =
keep_environment =

begin acl
take:
  accept

begin routers
all:
  driver = manualroute
  domains = *
  route_list = * 127.0.0.1 byname
  self = send
  transport = out

begin transports
out:
  driver = smtp
  port = ${relayTo}
  allow_localhost = true
  hosts_avoid_tls = *
  message_linelength_limit = 100000

begin retry
* * F,1h,5s
`
}
