import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { runCommand, serve } from '../support/command-line.ts'
import { FREE_PORTS, startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { runAs } from '../support/run-as.ts'

t.test('a port in use is reported by its number, and nothing is created', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const data = temporaryFolder(t, 'data')
  const args = ['--http-port=0', '--submission-port=0', '--submissions-port=0']
  const { code, stderr } = await runCommand(['serve', '--dev', `--data=${data}`, `--smtp-port=${port}`, ...args])
  t.equal(code, 1)
  t.match(stderr, `port ${port} on 127.0.0.1 is taken`)
  t.match(stderr, '--smtp-port')
  t.throws(() => statSync(data))
})

t.test('a server as a process', async (t) => {
  const data = temporaryFolder(t, 'data')
  const server = await startPosthouse(t, data)

  t.test('the first start creates a data folder for its owner only', async (t) => {
    t.equal(statSync(data).mode & 0o777, 0o700)
    for (const name of readdirSync(data)) {
      const { mode } = statSync(join(data, name))
      t.equal(mode & 0o077, 0, `${name} is closed to others`)
    }
  })

  t.test('a data folder that is in use is refused', async (t) => {
    const { code, stderr } = await runCommand(['serve', '--dev', `--data=${data}`, ...FREE_PORTS])
    t.equal(code, 1)
    t.match(stderr, /in use by another Posthouse/)
  })

  t.test('after a kill the next start continues with the stored data', async (t) => {
    await server.stop('SIGKILL')
    const second = await startPosthouse(t, data)
    t.equal(second.ready.mailbox.password, server.ready.mailbox.password)
    t.equal(await second.stop(), 0)
  })
})

/** Root may write everywhere: then commands run as nobody, else the folder is closed to its owner. */
const AS_ROOT = process.getuid!() === 0
const UID = AS_ROOT ? 65_534 : null

t.test('a data folder and files that may not be used are refused in one sentence', async (t) => {
  const closed = temporaryFolder(t)
  chmodSync(closed, 0o500)
  const open = temporaryFolder(t)
  const files = ['secret.key', 'posthouse.db'].map((name) => {
    const data = temporaryFolder(t)
    writeFileSync(join(data, name), '')
    chmodSync(join(data, name), 0o000)
    return { name, data }
  })
  for (const data of [open, ...files.map((file) => file.data)]) chmodSync(data, 0o777)
  // Threads would load the program as that user, without the cache of compiled files.
  const alone = ['--writer-thread=off', '--reading-threads=0']
  const serveOn = (data: string) => ['serve', '--dev', ...FREE_PORTS, ...alone, `--data=${data}`]
  const [served, listed, allowed, ...unread] = await runAs(UID, [
    serveOn(closed),
    ['keys', 'list', `--data=${closed}`],
    ['keys', 'list', `--data=${open}`],
    ...files.map(({ data }) => serveOn(data)),
  ])

  t.test('a data folder that may not be written to is refused in one sentence', async (t) => {
    const words = AS_ROOT
      ? /belongs to another user: uid 0, and this is uid 65534/
      : /may not be read and written by its owner/
    for (const { code, stderr } of [served!, listed!]) {
      t.equal(code, 1)
      t.match(stderr, words)
      t.equal(stderr.trim().split('\n').length, 1)
    }
    t.match(allowed!.stderr, 'there is no data in', 'control: where it may write it goes on')
  })

  t.test('a file of the data folder that may not be read is named', async (t) => {
    for (const [i, { name }] of files.entries()) {
      const { code, stderr } = unread[i]!
      t.equal(code, 1, name)
      t.match(stderr, name === 'posthouse.db' ? 'the database cannot be opened' : name, name)
      t.notMatch(stderr, '    at ', name)
    }
  })
})

t.test('a data folder that cannot be made is refused in one sentence, one in new folders is made', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  // /proc answers that there is no such parent.
  for (const data of ['/proc/posthouse/data', '/proc/posthouse', join(folder, 'file', 'data'), join(folder, 'file')]) {
    const { code, stderr } = await runCommand(['serve', '--dev', `--data=${data}`, ...FREE_PORTS])
    t.equal(code, 1)
    t.match(stderr, `posthouse: the data folder ${data} cannot be created: `)
    t.equal(stderr.trim().split('\n').length, 1)
  }
  const data = join(folder, 'a', 'b', 'data')
  const server = await serve(t, data)
  t.equal(await server.stop(), 0)
  t.same([statSync(join(folder, 'a')).mode & 0o777 & ~0o022, statSync(data).mode & 0o777], [0o755, 0o700])
})

t.test('a database with malformed pages is told at the start, and served only when told to', async (t) => {
  const data = temporaryFolder(t)
  const server = await serve(t, data)
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
  const { code, stderr } = await runCommand(args)
  t.equal(code, 1)
  t.match(stderr, /^posthouse: the database is damaged: .*; restore a backup, or start with --despite-damage and run/)
  t.equal(stderr.trim().split('\n').length, 1)
  const told = await runCommand(['verify', `--data=${data}`])
  t.equal(told.code, 1)
  for (const words of ['engine: suppression: ', 'engine: sts_policy: ', 'quota: '])
    t.match(told.stdout, words, 'verify goes on past the first fault')
  const despite = await serve(t, data, ['--despite-damage'])
  t.equal(await despite.stop(), 0)
})
