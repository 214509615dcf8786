import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

t.test('a reputation is shown; a healthy one cannot be released', async (t) => {
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  const shown = await runCommand(['reputation', 'show', `--data=${data}`])
  t.equal(shown.stdout, 'healthy: 0 recipients, - hard bounces, - complaints\n', shown.stderr)
  const { stdout } = await runCommand(['reputation', 'show', `--data=${data}`, '--json'])
  t.match(JSON.parse(stdout), { status: 'healthy', since: null, released: false, recipients: 0, bounce_rate: null })
  const { code, stderr } = await runCommand(['reputation', 'release', `--data=${data}`])
  t.equal(code, 1)
  t.match(stderr, 'Only a suspension can be shortened')
})
