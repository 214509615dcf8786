import t from 'tap'
import { systemClock } from '../../../server/base/clock.ts'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'
import { STRIPE_KEY, STRIPE_PRICES, startStripe, WEBHOOK_SECRET } from '../../support/stripe.ts'

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

t.test('a subscription is read at Stripe on request', async (t) => {
  const stripe = await startStripe(t, systemClock)
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  const prices = Object.entries(STRIPE_PRICES).map(([plan, price]) => `${plan}=${price}`)
  const settings = [
    ...['--dev', '--billing=stripe', `--stripe-url=${stripe.url}`, `--stripe-prices=${prices.join(',')}`],
    ...[`--stripe-secret-key=${STRIPE_KEY}`, `--stripe-webhook-secret=${WEBHOOK_SECRET}`, `--data=${data}`],
  ]
  const run = (...args: string[]) => runCommand(['billing', ...args, ...settings])
  t.equal((await run('checkout', 'pro')).code, 0)
  stripe.completeCheckout()
  t.match((await run('show')).stdout, /^none: free/, 'control: no webhook has arrived')
  t.match((await run('sync')).stdout, /^trialing: pro until .*, a payment method \(stripe\)/)
  stripe.faults.push({ status: 500 })
  t.match(await run('sync'), { code: 1, stderr: /the billing provider could not be read: .*500/ })
  t.match(JSON.parse((await run('sync', '--json')).stdout), { status: 'trialing', plan: 'pro' })
  t.match(await runCommand(['billing', 'sync', `--data=${data}`]), { code: 1, stderr: /bills nobody/ })
})
