/**
 * The plan of an organization follows its subscription at Stripe through kill -9 of the server (decision D33). A fake of Stripe in this process
 * renews, fails, takes payments, changes the plan and cancels; its signed events are posted twice each and together with older ones; the
 * server is killed while it has an event that it has not acted on, and started again. Events without a 200 are posted again, as Stripe does. After each
 * restart the server must have the state that Stripe has; in the end there is one customer, each failed payment that was seen has one letter,
 * and Stripe was asked for no payment. Exits 1 otherwise, or if too few kills came while an event waited.
 *
 *     server/node scripts/crash/billing.ts [--kills 50] [--seed 1] [--engine postgres] [--one-thread]
 *
 * With --one-thread the server starts in half the CPU, for a machine that has other work.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { type SignedEvent, STRIPE_PRICES } from '../../spec/support/stripe.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { DATABASE } from './support/judge.ts'
import { type Look, openLook } from './support/look.ts'
import { randomFrom } from './support/random.ts'
import { askApi, openShop, postEvent } from './support/shop.ts'
import { type ShopServer, startShopServer } from './support/shop-server.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
    'one-thread': { type: 'boolean', default: false },
  },
})
const kills = wholeNumber(values, 'kills')
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** Milliseconds to wait for an event that is stored and not acted on, and for the server's state after a start. */
const ROUND_MS = 10_000
const SETTLED_MS = 60_000
/** Share of the kills that must come while an event waits. */
const MIDDLE_SHARE = 0.8
const MONTH_S = 30 * 86_400

const [engine] = enginesIn(values.engine)
const folder = mkdtempSync(join(tmpdir(), 'posthouse-billing-'))
const data = join(folder, 'data')
const database = engine === 'postgres' ? await freshDatabase() : null
const shop = await openShop({ random, slowMs: 60, lostShare: 0.05, failedShare: 0.03 })
const { stripe } = shop
console.log(`billing: ${kills} kills, seed ${values.seed}, ${engine}`)

const start = () =>
  startShopServer({
    data,
    databaseUrl: database?.url ?? null,
    oneThread: values['one-thread'],
    settings: shop.settings,
  })

let customer = ''
let subscription = ''
let count = 0
/** Failures that began, and those of them that the server has shown. */
let failures = 0
let seenFailures = 0

/** Something happens at Stripe. Returns the type of its event. */
function happen(): string {
  const now = Math.floor(Date.now() / 1_000)
  const present = stripe.subscriptions.get(subscription)
  const item = present.items.data[0]
  const set = (changes: object, items: object = {}) =>
    stripe.change(subscription, { ...changes, items: { object: 'list', data: [{ ...item, ...items }] } })
  const invoice = (status: string) => ({
    object: 'invoice',
    id: `in_${++count}`,
    status,
    created: now,
    status_transitions: { finalized_at: now },
  })
  // Periods differ by a second at least, so that a renewal shows.
  const month = { current_period_start: now, current_period_end: item.current_period_end + MONTH_S + 1 }
  const chance = random()
  if (present.status === 'past_due') {
    set({ status: 'active', latest_invoice: invoice('paid') })
    return 'invoice.paid'
  }
  if (chance < 0.4) {
    set({ status: 'past_due', latest_invoice: invoice('open') }, month)
    failures++
    return 'invoice.payment_failed'
  }
  if (chance < 0.6) {
    set({ latest_invoice: invoice('paid') }, month)
    return 'invoice.paid'
  }
  if (chance < 0.8) {
    const price = item.price.id === STRIPE_PRICES.pro ? STRIPE_PRICES.team : STRIPE_PRICES.pro
    set({}, { price: { id: price } })
  } else set({ cancel_at: present.cancel_at === null ? item.current_period_end : null })
  return 'customer.subscription.updated'
}

/** What `GET /v1/billing` says of what Stripe has. */
function wanted(): object {
  const { status, cancel_at, items } = stripe.subscriptions.get(subscription)
  const [item] = items.data
  const time = (seconds: number | null) => seconds && new Date(seconds * 1_000).toISOString()
  const plan = Object.entries(STRIPE_PRICES).find(([, price]) => price === item.price.id)![0]
  return { status, plan, period_end: time(item.current_period_end), cancel_at: time(cancel_at) }
}

async function shown(server: ShopServer): Promise<object | null> {
  const answer = await askApi(server, 'GET', '/billing')
  if (answer?.status !== 200) return null
  const { status, plan, period_end, cancel_at } = answer.body
  return { status, plan, period_end, cancel_at }
}

const isEqual = (a: object | null, b: object) => JSON.stringify(a) === JSON.stringify(b)

/** Events that were not answered by 200, and all that there were. */
let open: SignedEvent[] = []
const old: SignedEvent[] = []

async function post(server: ShopServer, event: SignedEvent): Promise<void> {
  if ((await postEvent(server.http, event)) === 200) open = open.filter((one) => one !== event)
}

/** Stripe signs an event anew each time it posts it. */
function again({ body }: SignedEvent): SignedEvent {
  const { id, type, data: given } = JSON.parse(body)
  return stripe.event(type, given.object, { id })
}

const waits: number[] = []

/** Resolves when the server has the state of Stripe. */
async function settled(server: ShopServer): Promise<boolean> {
  const begun = Date.now()
  for (const event of open) await post(server, event)
  for (; Date.now() < begun + SETTLED_MS; await pause(20)) {
    for (const event of open) await post(server, event)
    if (open.length > 0 || !isEqual(await shown(server), wanted())) continue
    waits.push(Date.now() - begun)
    if (stripe.subscriptions.get(subscription).status === 'past_due') seenFailures++
    return true
  }
  return false
}

async function subscribe(server: ShopServer): Promise<void> {
  for (const end = Date.now() + ROUND_MS; Date.now() < end; await pause(200))
    if ((await askApi(server, 'POST', '/billing/checkout', { plan: 'pro', trial: false }))?.status === 200) break
  const made = stripe.completeCheckout()
  customer = made.customer
  subscription = made.subscription
  open.push(stripe.event('checkout.session.completed', { object: 'checkout.session', customer }))
}

let middle = 0
let wrong = 0
const begun = performance.now()
let look: Look | null = null
const waiting = async () =>
  (await look!.count('select count(*) as count from billing_event where applied_at is null')) > 0
for (let round = 0; round < kills; round++) {
  const server = await start()
  look ??= await openLook(database?.url ?? join(data, DATABASE))
  if (round === 0) await subscribe(server)
  if (!(await settled(server))) {
    wrong++
    console.log(`billing: WRONG round ${round}: ${JSON.stringify([await shown(server), wanted()])}`)
  }
  const type = happen()
  const event = stripe.event(type, { object: type.split('.').at(-2), id: `x_${++count}`, customer, subscription })
  open.push(event)
  const earlier = old[Math.floor(random() * old.length)]
  old.push(event)
  const posts = [event, event, ...(earlier ? [again(earlier)] : [])].map((one) => post(server, one))
  for (const end = Date.now() + ROUND_MS; Date.now() < end && !(await waiting()); ) await pause(2)
  // A reading takes two requests of at most twice 60 ms.
  await pause(random() * 100)
  if (await waiting()) middle++
  server.child.kill('SIGKILL')
  await Promise.all([once(server.child, 'exit'), ...posts])
}
shop.calm()
const last = await start()
if (!(await settled(last))) wrong++
for (const end = Date.now() + SETTLED_MS; Date.now() < end && (await letters()) < seenFailures; ) await pause(500)
const found = await letters()
last.child.kill('SIGTERM')
await once(last.child, 'exit')
const asked = stripe.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/payment_intents').length
const longest = Math.max(...waits)
console.log(
  `billing: ${old.length} changes, ${wrong} not followed, the longest after ${longest} ms; ${stripe.customers.size} customer; ${failures} failed payments, ${seenFailures} of them seen, ${found} letters; ${asked} payments asked for`,
)
console.log(
  `billing: ${kills} kills, ${middle} while an event waited; ${((performance.now() - begun) / 1_000).toFixed(0)} s`,
)
const isGood = wrong === 0 && stripe.customers.size === 1 && asked === 0 && found >= seenFailures && found <= failures
if (!isGood || middle < kills * MIDDLE_SHARE) process.exitCode = 1
await look?.close()
await shop.close()
await database?.drop()
await stopOwnPostgres()
rmSync(folder, { recursive: true, force: true })
console.log(process.exitCode === 1 ? 'billing: FAILED' : 'billing: ok')
process.exit()

/** Letters about failed payments in the owner's inbox. The queue may deliver one twice around a kill, with the same Message-ID. */
async function letters(): Promise<number> {
  const rows = await look!.rows("select packed from email where lower(subject_sort) like '%payment failed%'")
  return new Set(rows.map(({ packed }) => /[0-9a-f]{8}-[0-9a-f-]{27}@/.exec(String(packed))?.[0])).size
}
