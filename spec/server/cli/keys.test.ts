import t from 'tap'
import { posthouse, startPosthouse, temporaryFolder } from '../../support/posthouse.ts'

const SETUP = ['setup', '--organization=Example', '--mailbox=office@example.org', '--json']

t.test('keys are created, listed and revoked while a server runs', async (t) => {
  const data = temporaryFolder(t)
  const { ready } = await startPosthouse(t, data)
  const made = await posthouse([
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
  const listed = await posthouse(['keys', 'list', `--data=${data}`, '--json'])
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
  const revoked = await posthouse(['keys', 'revoke', id, `--data=${data}`])
  t.equal(revoked.code, 0, revoked.stderr)
  const again = await posthouse(['keys', 'revoke', id, `--data=${data}`])
  t.equal(again.code, 1)
  t.notMatch((await posthouse(['keys', 'list', `--data=${data}`])).stdout, 'robot')
  t.equal(await ask('/v1/mailboxes'), 401, 'the running server refuses it')
})

t.test('scopes that do not exist are refused', async (t) => {
  const data = temporaryFolder(t)
  await posthouse([...SETUP, `--data=${data}`])
  const { code, stderr } = await posthouse(['keys', 'create', '--name=x', '--scopes=all', `--data=${data}`])
  t.equal(code, 1)
  t.match(stderr, 'the key was refused')
})
