import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

t.test('new DKIM keys are created, and their records printed', async (t) => {
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  const rotate = (...more: string[]) => runCommand(['domains', 'rotate-dkim', ...more, `--data=${data}`])
  const { stdout, stderr } = await rotate('Example.org')
  t.match(stdout, /^ph2\._domainkey\.example\.org TXT "v=DKIM1; k=rsa; p=[^"]+"\n/, stderr)
  t.match(stdout, /\nph2-ed25519\._domainkey\.example\.org TXT "v=DKIM1; k=ed25519; p=[^"]+"\n$/)
  const again = JSON.parse((await rotate('example.org', '--json')).stdout)
  t.match(again, { records: [{ host: 'ph2._domainkey.example.org', type: 'TXT', value: String }, {}] })
  t.equal((await rotate('EXAMPLE.org.')).code, 0, 'a name in another form')
  t.match(await rotate('example.com'), { code: 1, stderr: /there is no domain example\.com/ })
})
