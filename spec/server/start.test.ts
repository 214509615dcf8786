import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
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
