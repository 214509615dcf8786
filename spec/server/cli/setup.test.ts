import t from 'tap'
import { runCommand, serve } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

const SETUP = ['setup', '--organization=Example', '--mailbox=office@example.org', '--json']

t.test('setup creates a working installation', async (t) => {
  const data = temporaryFolder(t)
  const made = await runCommand([...SETUP, `--data=${data}`, '--display-name=The Office'])
  t.equal(made.code, 0, made.stderr)
  const result = JSON.parse(made.stdout)
  t.match(result, {
    organization: { id: /^org_/, name: 'Example' },
    domain: { id: /^dom_/, name: 'example.org', status: 'pending', mxVerified: false, verifiedAt: null },
    mailbox: { id: /^mbx_/, address: 'office@example.org', password: /^[A-Za-z0-9]{24}$/ },
    api_key: /^sk_/,
    dns_records: [{ type: 'MX', host: 'example.org', priority: 10 }],
  })
  const server = await serve(t, data)
  const answer = await fetch(`${server.ready.http}/v1/mailboxes`, {
    headers: { Authorization: `Bearer ${result.api_key}` },
  })
  t.match(await answer.json(), { data: [{ id: result.mailbox.id, address: 'office@example.org' }] })
  const login = Buffer.from(`office@example.org:${result.mailbox.password}`).toString('base64')
  const session = await fetch(`${server.ready.http}/jmap/session`, { headers: { Authorization: `Basic ${login}` } })
  t.equal(session.status, 200)
})

t.test('setup prints the DNS records, the next step, and that nothing is verified yet', async (t) => {
  const args = ['setup', '--organization=Example', '--mailbox=office@example.org', '--hostname=mail.example.org']
  const { stdout, code } = await runCommand([...args, `--data=${temporaryFolder(t)}`])
  t.equal(code, 0)
  t.match(stdout, /Nothing is verified yet\./)
  t.match(stdout, /^MX +example\.org +10 mail\.example\.org$/m)
  for (const words of [
    /^TXT +example\.org +v=spf1 /m,
    /^TXT +\S+\._domainkey\.example\.org +v=DKIM1; /m,
    /^TXT +_dmarc\./m,
  ])
    t.match(stdout, words)
  t.match(stdout, /posthouse serve/)
})

t.test('setup does not create the same organization twice', async (t) => {
  const data = temporaryFolder(t)
  t.equal((await runCommand([...SETUP, `--data=${data}`])).code, 0)
  const { code, stderr } = await runCommand([...SETUP, `--data=${data}`])
  t.equal(code, 1)
  t.match(stderr, 'there is an organization "Example" already')
})

t.test('a password comes from standard input, and a weak one is refused', async (t) => {
  const data = temporaryFolder(t)
  const args = [...SETUP, `--data=${data}`, '--password-stdin']
  const weak = await runCommand(args, { input: 'weak\n' })
  t.equal(weak.code, 1)
  t.match(weak.stderr, 'the mailbox was refused: A password has 8 to 128 characters')
  const better = await runCommand(args, { input: 'a much Better 1\n' })
  t.match(better, { code: 0, stderr: '' }, 'what a refused setup has left does not keep the next one out')
})
