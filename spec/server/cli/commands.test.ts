import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SETTING_NAMES } from '../../../server/config/settings.ts'
import { posthouse, startPosthouse, temporaryFolder } from '../../support/posthouse.ts'

const SETUP = ['setup', '--organization=Example', '--mailbox=office@example.org', '--json']

t.test('help tells of every command and every setting', async (t) => {
  const { code, stdout } = await posthouse(['--help'])
  t.equal(code, 0)
  for (const name of ['serve', 'setup', 'keys create', 'keys list', 'keys revoke', 'mailboxes password', 'verify']) {
    t.match(stdout, name)
    const help = await posthouse([...name.split(' '), '--help'])
    t.equal(help.code, 0)
    t.match(help.stdout, `Usage: posthouse ${name}`)
    for (const setting of SETTING_NAMES)
      if (name === 'serve') t.match(help.stdout, `  --${setting.replaceAll('_', '-')}`)
  }
})

t.test('a command line that cannot be understood is exit code 2', async (t) => {
  for (const [args, words] of [
    [[], 'Usage'],
    [['dance'], 'there is no command "dance"'],
    [['serve', '--http-prot=1'], "Unknown option '--http-prot'"],
    [['serve', 'now'], '"now" is more than serve can use'],
    [['keys', 'create'], '--name is missing'],
    [['setup', '--organization=X', '--mailbox=x'], 'is not an address'],
  ] as const) {
    const { code, stdout, stderr } = await posthouse(args)
    t.equal(code, 2, args.join(' '))
    t.match(stdout + stderr, words)
  }
})

t.test('settings that are refused are exit code 1, in words and without a stack', async (t) => {
  const { code, stderr } = await posthouse(['serve', '--dev', '--http-port=http'])
  t.equal(code, 1)
  t.match(stderr, /^posthouse: --http-port: must be a port number/)
  t.notMatch(stderr, '    at ')
})

t.test('setup makes an installation that serves', async (t) => {
  const data = temporaryFolder(t)
  const made = await posthouse([...SETUP, `--data=${data}`, '--display-name=The Office'])
  t.equal(made.code, 0, made.stderr)
  const result = JSON.parse(made.stdout)
  t.match(result, {
    organization: { id: /^org_/, name: 'Example' },
    domain: { id: /^dom_/, name: 'example.org', status: 'verified' },
    mailbox: { id: /^mbx_/, address: 'office@example.org', password: /^[A-Za-z0-9]{24}$/ },
    api_key: /^sk_/,
  })
  const server = await startPosthouse(t, data)
  const answer = await fetch(`${server.ready.http}/v1/mailboxes`, {
    headers: { Authorization: `Bearer ${result.api_key}` },
  })
  t.match(await answer.json(), { data: [{ id: result.mailbox.id, address: 'office@example.org' }] })
  const login = Buffer.from(`office@example.org:${result.mailbox.password}`).toString('base64')
  const session = await fetch(`${server.ready.http}/jmap/session`, { headers: { Authorization: `Basic ${login}` } })
  t.equal(session.status, 200)
})

t.test('setup does not make the same organization twice', async (t) => {
  const data = temporaryFolder(t)
  t.equal((await posthouse([...SETUP, `--data=${data}`])).code, 0)
  const { code, stderr } = await posthouse([...SETUP, `--data=${data}`])
  t.equal(code, 1)
  t.match(stderr, 'there is an organization "Example" already')
})

t.test('a password comes from standard input, and a weak one is refused', async (t) => {
  const data = temporaryFolder(t)
  const args = [...SETUP, `--data=${data}`, '--password-stdin']
  const weak = await posthouse(args, { input: 'weak\n' })
  t.equal(weak.code, 1)
  t.match(weak.stderr, 'the mailbox was refused: A password has 8 to 128 characters')
})

t.test('keys are made, listed and revoked beside a running server', async (t) => {
  const data = temporaryFolder(t)
  const { ready } = await startPosthouse(t, data)
  const made = await posthouse([
    'keys',
    'create',
    '--name=robot',
    '--scopes=mailboxes:read',
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
    { name: 'robot', scopes: ['mailboxes:read'] },
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

t.test('a mailbox gets a new password', async (t) => {
  const data = temporaryFolder(t)
  await posthouse([...SETUP, `--data=${data}`])
  const made = await posthouse(['mailboxes', 'password', 'Office@Example.org', `--data=${data}`])
  t.match(made.stdout, /^[A-Za-z0-9]{24}\n$/)
  const given = await posthouse(['mailboxes', 'password', 'office@example.org', '--password-stdin', `--data=${data}`], {
    input: 'Chosen4myself\n',
  })
  t.equal(given.code, 0)
  t.equal(given.stdout, '', 'what was given is not repeated')
  const unknown = await posthouse(['mailboxes', 'password', 'nobody@example.org', `--data=${data}`])
  t.equal(unknown.code, 1)
  t.match(unknown.stderr, 'there is no mailbox nobody@example.org')
})

t.test('verify finds nothing in sound data, and a blob that was changed', async (t) => {
  const data = temporaryFolder(t)
  const server = await startPosthouse(t, data)
  const { mailbox, http } = server.ready
  const login = `Basic ${Buffer.from(`${mailbox.address}:${mailbox.password}`).toString('base64')}`
  const headers = { Authorization: login, 'Content-Type': 'text/plain' }
  const body = 'x'.repeat(100_000)
  t.equal((await fetch(`${http}/jmap/upload/${mailbox.id}`, { method: 'POST', headers, body })).status, 201)
  t.match(await posthouse(['verify', '--deep', `--data=${data}`]), { code: 0, stdout: 'Everything agrees.\n' })
  await server.stop()
  const pack = readdirSync(join(data, 'blobs')).find((name) => name.endsWith('.pack'))!
  const octets = readFileSync(join(data, 'blobs', pack))
  octets[octets.length - 50_000]! ^= 1
  writeFileSync(join(data, 'blobs', pack), octets)
  const { code, stdout } = await posthouse(['verify', '--deep', `--data=${data}`, '--json'])
  t.equal(code, 1)
  t.match(JSON.parse(stdout), { sound: false, faults: [{ kind: /blob/ }] })
})

t.test('verify of nothing says so', async (t) => {
  const { code, stderr } = await posthouse(['verify', `--data=${temporaryFolder(t, 'none')}`])
  t.equal(code, 1)
  t.match(stderr, 'there is no data in')
})
