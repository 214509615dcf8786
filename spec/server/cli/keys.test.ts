import t from 'tap'
import { runCommand, serve } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'
import { until } from '../../support/until.ts'

const SETUP = ['setup', '--organization=Example', '--mailbox=office@example.org', '--json']

t.test('keys are created, listed and revoked while a server runs', async (t) => {
  const data = temporaryFolder(t)
  const { ready } = await serve(t, data)
  const made = await runCommand([
    'keys',
    'create',
    '--name=robot',
    '--scopes=mailboxes:read',
    '--allowed-ips=127.0.0.1, ::1',
    '--expires=2099-01-01T00:00:00Z',
    `--data=${data}`,
    '--json',
  ])
  t.equal(made.code, 0, made.stderr)
  const { id, key } = JSON.parse(made.stdout)
  const ask = async (path: string) =>
    (await fetch(ready.http + path, { headers: { Authorization: `Bearer ${key}` } })).status
  t.equal(await ask('/v1/mailboxes'), 200)
  t.equal(await ask('/v1/domains'), 403, 'it has the scopes that were asked for')
  const listed = await runCommand(['keys', 'list', `--data=${data}`, '--json'])
  t.match(
    JSON.parse(listed.stdout).find((row: { id: string }) => row.id === id),
    {
      name: 'robot',
      scopes: ['mailboxes:read'],
      allowed_ips: ['127.0.0.1', '::1'],
      expires_at: '2099-01-01T00:00:00Z',
      mailbox_ids: null,
    },
  )
  t.notMatch(listed.stdout, key)
  const revoked = await runCommand(['keys', 'revoke', id, `--data=${data}`])
  t.equal(revoked.code, 0, revoked.stderr)
  const again = await runCommand(['keys', 'revoke', id, `--data=${data}`])
  t.match(again, { code: 1, stderr: `posthouse: there is no key ${id}\n` })
  t.notMatch((await runCommand(['keys', 'list', `--data=${data}`])).stdout, 'robot')
  // The server remembers for a second which keys are valid.
  const refused = await until(async () => {
    const status = await ask('/v1/mailboxes')
    if (status === 200) throw new Error('it is accepted still')
    return status
  })
  t.equal(refused, 401, 'the running server refuses it')
})

t.test('scopes that do not exist are refused', async (t) => {
  const data = temporaryFolder(t)
  await runCommand([...SETUP, `--data=${data}`])
  const { code, stderr } = await runCommand(['keys', 'create', '--name=x', '--scopes=all', `--data=${data}`])
  t.equal(code, 1)
  t.match(stderr, 'the key was refused: There is no scope "all".')
})
