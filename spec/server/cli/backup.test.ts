import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCommand, serve } from '../../support/command-line.ts'
import { FREE_PORTS, temporaryFolder } from '../../support/posthouse.ts'

t.test('a backup is taken beside the server and restored into another folder, on which a server starts', async (t) => {
  const data = temporaryFolder(t)
  const server = await serve(t, data)
  const { mailbox, http } = server.ready
  const login = `Basic ${Buffer.from(`${mailbox.address}:${mailbox.password}`).toString('base64')}`
  const headers = { Authorization: login, 'Content-Type': 'text/plain' }
  const upload = await fetch(`${http}/jmap/upload/${mailbox.id}`, { method: 'POST', headers, body: 'x'.repeat(50_000) })
  const { blobId } = (await upload.json()) as { blobId: string }
  const folder = temporaryFolder(t, 'backups')
  const taken = await runCommand(['backup', folder, `--data=${data}`, '--json'])
  t.equal(taken.code, 0, taken.stderr)
  t.match(JSON.parse(taken.stdout), { folder, name: /^\d{8}T\d{6}\.\d{3}Z$/, kept: 1 })
  const target = temporaryFolder(t, 'restored')
  const restored = await runCommand(['restore', folder, `--data=${target}`])
  t.match(restored, { code: 0, stdout: /^Restored \d{8}T.*, as of .*, into .*\.\n$/ })
  t.match(await runCommand(['verify', '--deep', `--data=${target}`]), { code: 0, stdout: 'No faults found.\n' })
  const again = await serve(t, target)
  t.equal(again.ready.mailbox.password, mailbox.password)
  const file = await fetch(`${again.ready.http}/jmap/download/${mailbox.id}/${blobId}/x?accept=text/plain`, { headers })
  t.equal((await file.text()).length, 50_000)
})

t.test('for PostgreSQL and S3 one sentence says what to use instead', async (t) => {
  const folder = temporaryFolder(t, 'none')
  for (const command of ['backup', 'restore']) {
    const { code, stderr } = await runCommand([command, folder, '--database=postgres://u@127.0.0.1:1/x'])
    t.equal(code, 1)
    t.match(stderr, /^posthouse: posthouse backup is for SQLite: back up PostgreSQL with pg_dump .* verify --deep\n$/)
  }
  t.notOk(existsSync(folder))
})

t.test('without data there is no backup, and no folder for it', async (t) => {
  const [data, folder] = [temporaryFolder(t, 'empty'), join(temporaryFolder(t), 'backups')]
  const { code, stderr } = await runCommand(['backup', folder, `--data=${data}`])
  t.equal(code, 1)
  t.equal(stderr, `posthouse: there is no data in ${data}\n`)
  t.notOk(existsSync(folder))
})

t.test('a folder that cannot be made is told in one sentence', async (t) => {
  const data = temporaryFolder(t)
  await (await serve(t, data)).stop()
  const { code, stderr } = await runCommand(['backup', '/proc/posthouse/backups', `--data=${data}`])
  t.equal(code, 1)
  t.match(stderr, /^posthouse: the backup was not taken: ENOENT: .*\n$/)
})

t.test('a server does not start on a folder into which a restore was broken off', async (t) => {
  const data = temporaryFolder(t)
  writeFileSync(join(data, 'restoring'), 'x')
  const { code, stderr } = await runCommand(['serve', '--dev', `--data=${data}`, ...FREE_PORTS])
  t.equal(code, 1)
  t.match(stderr, /^posthouse: a restore into the data folder .* was broken off; run it again\n$/)
})
