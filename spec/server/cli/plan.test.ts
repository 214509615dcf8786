import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

t.test('an organization is subscribed to a plan, for a trial or permanently', async (t) => {
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  const show = async () => JSON.parse((await runCommand(['plan', 'show', `--data=${data}`, '--json'])).stdout)
  t.match(await show(), { plan: 'Team', trial_ends_at: null, mailboxes: { used: 1, limit: 50 } })
  const set = (...args: string[]) => runCommand(['plan', 'set', ...args, `--data=${data}`])
  t.match(await set('pro', '--trial=14'), { code: 0, stdout: /^org_\w+: pro, with a trial until 2/ })
  t.match(await show(), { plan: 'Pro trial', trial_ends_at: /^2/, mailboxes: { used: 1, limit: 3 } })
  t.equal((await set('pro')).code, 0)
  t.match(
    (await runCommand(['plan', 'show', `--data=${data}`])).stdout,
    /^Pro: 1 of 10 mailboxes, 0 of 10 aliases, 0 of/,
  )
  t.equal((await set('none')).code, 0)
  t.match(await show(), { plan: 'Team' })
  t.equal((await set('gold')).code, 2)
  t.equal((await set('pro', '--trial=soon')).code, 2)
})
