import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCommand, serve } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

t.test('verify finds nothing in sound data, and finds a changed blob', async (t) => {
  const data = temporaryFolder(t)
  const server = await serve(t, data)
  const { mailbox, http } = server.ready
  const login = `Basic ${Buffer.from(`${mailbox.address}:${mailbox.password}`).toString('base64')}`
  const headers = { Authorization: login, 'Content-Type': 'text/plain' }
  const body = 'x'.repeat(100_000)
  t.equal((await fetch(`${http}/jmap/upload/${mailbox.id}`, { method: 'POST', headers, body })).status, 201)
  t.match(await runCommand(['verify', '--deep', `--data=${data}`]), { code: 0, stdout: 'No faults found.\n' })
  await server.stop()
  const pack = readdirSync(join(data, 'blobs')).find((name) => name.endsWith('.pack'))!
  const octets = readFileSync(join(data, 'blobs', pack))
  octets[octets.length - 50_000]! ^= 1
  writeFileSync(join(data, 'blobs', pack), octets)
  const { code, stdout } = await runCommand(['verify', '--deep', `--data=${data}`, '--json'])
  t.equal(code, 1)
  t.match(JSON.parse(stdout), { sound: false, faults: [{ kind: /blob/ }] })
})

t.test('verify of an empty installation says so', async (t) => {
  const { code, stderr } = await runCommand(['verify', `--data=${temporaryFolder(t, 'none')}`])
  t.equal(code, 1)
  t.match(stderr, 'there is no data in')
})
