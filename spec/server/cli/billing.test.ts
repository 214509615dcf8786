import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

t.test('an organization gets a subscription and a card of the fake', async (t) => {
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  const run = (...args: string[]) => runCommand(['billing', ...args, `--data=${data}`])
  const show = async () => JSON.parse((await run('show', '--json')).stdout)
  t.match(await show(), { provider: 'none', status: 'active', plan: 'team', payment_method: false })
  t.match(await run('checkout', 'pro'), { code: 1, stderr: /bills nobody/ })
  t.match(await run('fake', '--card=4000000000000002'), { code: 1, stderr: /declined/ })
  t.equal((await run('fake', '--plan=gold')).code, 2)
  const { code, stdout } = await run('fake', '--organization=Example', '--plan=solo', '--json')
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { organization: /^org_/, plan: 'solo', status: 'active', payment_method: true })
  t.match(await show(), { status: 'active', plan: 'solo', payment_method: true })
  t.match((await run('show')).stdout, /^active: solo until .*, a payment method/)
  t.match((await run('fake', '--trial', '--card=none')).stdout, /: trialing on pro, no payment method/)
  t.match(await show(), { status: 'trialing', plan: 'pro', payment_method: false })
  t.equal((await run('checkout', 'gold')).code, 2)
  const link = await run('checkout', 'team', '--billing=fake', '--dev')
  t.match(link.stdout, /^http:\/\/.*\/billing\/fake\/v1\./)
  t.match((await run('portal', '--billing=fake', '--dev')).stdout, /\/billing\/fake\//)
})
