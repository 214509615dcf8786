import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { tourCommands } from '../../server/dev/tour.ts'
import { runCommand, serve } from '../support/command-line.ts'
import { startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { until } from '../support/until.ts'

t.test('--json prints exactly one line, with all that a script needs', async (t) => {
  const server = await startPosthouse(t, temporaryFolder(t))
  const { ready } = server
  t.equal(ready.ready, true)
  t.match(ready.http, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.match(ready.smtp, { host: '127.0.0.1', port: Number })
  t.match(ready.submission, { host: '127.0.0.1', port: Number, tls_port: Number })
  t.match(ready.organization.id, /^org_/)
  t.match(ready.domain, { id: /^dom_/, name: 'example.test' })
  t.match(ready.mailbox, { id: /^mbx_/, address: 'hello@example.test' })
  t.match(ready.mailbox.password, /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,128}$/)
  t.match(ready.api_key, /^sk_/)
  t.equal(await server.stop('SIGINT'), 0)
  t.equal(server.lines.length, 1)
})

t.test('the four commands of the tour work as printed', async (t) => {
  const data = temporaryFolder(t)
  const { ready } = await serve(t, data)
  const outputs: string[] = []
  for (const { command } of tourCommands(ready, ready)) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command])
    outputs.push(stdout)
  }
  const [, listed, read, sent] = outputs
  t.match(JSON.parse(listed!).data, [{ subject: 'Hello Posthouse', preview: 'It works.' }])
  const [, [, { list }]] = JSON.parse(read!).methodResponses
  t.match(list, [{ subject: 'Hello Posthouse', from: [{ name: 'Ada', email: 'ada@example.com' }] }])
  t.match(Object.values(list[0].bodyValues), [{ value: 'It works.\n' }])
  t.match(JSON.parse(sent!), { object: 'message', subject: 'Re: Hello Posthouse' })
  const index = await until(() => {
    const text = readFileSync(join(data, 'captured', 'index.txt'), 'utf8')
    if (!text.includes('Re: Hello')) throw new Error('its line is not written yet')
    return text
  })
  t.match(index, /<hello@example\.test> -> <ada@example\.com> \| Re: Hello Posthouse/)
})

t.test('a second start keeps the data and the credentials', async (t) => {
  const data = temporaryFolder(t)
  const first = await serve(t, data)
  t.equal(await first.stop(), 0)
  const second = await serve(t, data)
  for (const name of ['organization', 'domain', 'mailbox', 'api_key'] as const)
    t.same(second.ready[name], first.ready[name], name)
})

t.test('credentials that no longer work are replaced by working ones', async (t) => {
  const data = temporaryFolder(t)
  const first = await serve(t, data)
  await first.stop()
  const { code } = await runCommand(['mailboxes', 'password', first.ready.mailbox.address, `--data=${data}`])
  t.equal(code, 0)
  const { ready } = await serve(t, data)
  t.equal(ready.mailbox.id, first.ready.mailbox.id)
  t.not(ready.mailbox.password, first.ready.mailbox.password)
  const login = Buffer.from(`${ready.mailbox.address}:${ready.mailbox.password}`).toString('base64')
  const answer = await fetch(`${ready.http}/.well-known/jmap`, { headers: { Authorization: `Basic ${login}` } })
  t.equal(answer.status, 200)
})

t.test('with billing the mailbox of dev mode is there, and the organization has no subscription', async (t) => {
  const { ready } = await serve(t, temporaryFolder(t), ['--billing=fake'])
  const headers = { Authorization: `Bearer ${ready.api_key}` }
  const read = async (path: string) => (await fetch(`${ready.http}/api/v1${path}`, { headers })).json()
  t.match(await read('/billing'), { provider: 'fake', status: 'none', plan: 'free' })
  t.match(await read('/mailboxes'), { data: [{ address: ready.mailbox.address }] })
})
