import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { FREE_PORTS, posthouse, startPosthouse, temporaryFolder } from '../support/posthouse.ts'

t.test('the first start creates a data folder for its owner only', async (t) => {
  const data = temporaryFolder(t, 'data')
  const server = await startPosthouse(t, data)
  t.equal(statSync(data).mode & 0o777, 0o700)
  for (const name of readdirSync(data)) {
    const { mode } = statSync(join(data, name))
    t.equal(mode & 0o077, 0, `${name} is closed to others`)
  }
  t.equal(await server.stop(), 0)
})

t.test('a port in use is reported by its number, and nothing is created', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const data = temporaryFolder(t, 'data')
  const args = ['--http-port=0', '--submission-port=0', '--submissions-port=0']
  const { code, stderr } = await posthouse(['serve', '--dev', `--data=${data}`, `--smtp-port=${port}`, ...args])
  t.equal(code, 1)
  t.match(stderr, `port ${port} on 127.0.0.1 is taken`)
  t.match(stderr, '--smtp-port')
  t.throws(() => statSync(data))
})

t.test('a data folder that is in use is refused', async (t) => {
  const data = temporaryFolder(t)
  await startPosthouse(t, data)
  const { code, stderr } = await posthouse(['serve', '--dev', `--data=${data}`, ...FREE_PORTS])
  t.equal(code, 1)
  t.match(stderr, /in use by another Posthouse/)
})

t.test('after a kill the next start continues with the stored data', async (t) => {
  const data = temporaryFolder(t)
  const first = await startPosthouse(t, data)
  await first.stop('SIGKILL')
  const { ready } = await startPosthouse(t, data)
  t.equal(ready.mailbox.password, first.ready.mailbox.password)
})

/** Root may write everywhere: then the program runs as nobody, else the folder is closed to its owner. */
const AS_ROOT = process.getuid!() === 0
const UID = AS_ROOT ? { uid: 65_534 } : {}

t.test('a data folder that may not be written to is refused in one sentence', async (t) => {
  const data = temporaryFolder(t)
  const words = AS_ROOT
    ? /belongs to another user: uid 0, and this is uid 65534/
    : /may not be read and written by its owner/
  chmodSync(data, 0o500)
  for (const args of [
    ['serve', '--dev', ...FREE_PORTS],
    ['keys', 'list'],
  ]) {
    const { code, stderr } = await posthouse([...args, `--data=${data}`], UID)
    t.equal(code, 1, args[0]!)
    t.match(stderr, words, args[0]!)
    t.equal(stderr.trim().split('\n').length, 1, args[0]!)
  }
  chmodSync(data, 0o777)
  const allowed = await posthouse(['keys', 'list', `--data=${data}`], UID)
  t.match(allowed.stderr, 'there is no organization yet', 'control: where it may write it goes on')
})

t.test('a file of the data folder that may not be read is named', async (t) => {
  const data = temporaryFolder(t)
  chmodSync(data, 0o777)
  for (const name of ['secret.key', 'posthouse.db']) {
    writeFileSync(join(data, name), '')
    chmodSync(join(data, name), 0o000)
    const { code, stderr } = await posthouse(['serve', '--dev', `--data=${data}`, ...FREE_PORTS], UID)
    t.equal(code, 1, name)
    t.match(stderr, name === 'posthouse.db' ? 'the database cannot be opened' : name, name)
    t.notMatch(stderr, '    at ', name)
    for (const made of readdirSync(data)) rmSync(join(data, made), { recursive: true })
  }
})

t.test('a database with malformed pages is told at the start, and served only when told to', async (t) => {
  const data = temporaryFolder(t)
  const server = await startPosthouse(t, data)
  await server.stop()
  const file = join(data, 'posthouse.db')
  const database = new Database(file)
  const roots = database.prepare("select rootpage from sqlite_schema where name in ('suppression', 'sts_policy')").all()
  database.exec("update account set used_bytes = used_bytes + 1 where kind = 'mailbox'")
  database.close()
  const octets = readFileSync(file)
  // Zeros are no page of a table.
  for (const { rootpage } of roots as { rootpage: number }[]) octets.fill(0, (rootpage - 1) * 4_096, rootpage * 4_096)
  writeFileSync(file, octets)
  const args = ['serve', '--dev', `--data=${data}`, ...FREE_PORTS]
  const { code, stderr } = await posthouse(args)
  t.equal(code, 1)
  t.match(stderr, /^posthouse: the database is damaged: .*; restore a backup, or start with --despite-damage and run/)
  t.equal(stderr.trim().split('\n').length, 1)
  const told = await posthouse(['verify', `--data=${data}`])
  t.equal(told.code, 1)
  for (const words of ['engine: suppression: ', 'engine: sts_policy: ', 'quota: '])
    t.match(told.stdout, words, 'verify goes on past the first fault')
  const despite = await startPosthouse(t, data, ['--despite-damage'])
  t.equal(await despite.stop(), 0)
})
