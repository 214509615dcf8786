/**
 * Domains are paid, bought and renewed exactly once through kill -9 of the server (decision D33). Domains are ordered at fakes of Porkbun and
 * Stripe in this process, which answer slowly, lose answers and refuse some names; each first term ends within 30 days, so that a renewal
 * follows each registration. The server is killed while orders are under way, and started again; requests that the kill cut off are sent
 * again. Then the fakes are asked what they were made to do. Each name is paid, registered and renewed once and verified in the end, what
 * failed is paid back once, and declined cards pay nothing. Exits 1 otherwise, or if too few kills came while a registration was under way.
 *
 *     server/node scripts/crash/registrations.ts [--kills 50] [--orders 4] [--seed 1] [--engine postgres] [--one-thread]
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
import { CONTACT } from '../../spec/support/registration-contact.ts'
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
    orders: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
    'one-thread': { type: 'boolean', default: false },
  },
})
const kills = wholeNumber(values, 'kills')
const perRound = wholeNumber(values, 'orders')
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** A kill comes after so many requests to the fakes at most, so that a slow machine gets as far; and milliseconds after the last of them. */
const REQUESTS_MOST = 40
const KILL_MS = 60
/** Milliseconds to wait for them. */
const ROUND_MS = 60_000
/** Orders under way from which on no more are made after a start. */
const BACKLOG_MOST = 8
/** Share of the kills that must come while a registration is under way. */
const MIDDLE_SHARE = 0.8
/** Milliseconds for all orders to end after the last kill: the longest wait between two attempts, and a check of the records. */
const PATIENCE_MS = 600_000
const DAY_MS = 86_400_000
/** Of the first registration: shorter than the time before the expiry at which renewals begin. */
const TERM_MS = 20 * DAY_MS
/** Chance of a lost answer of the registrar in a round. */
const LOST_SHARE = 0.4

/** What becomes of a name, by its beginning; shares of the orders. */
const KINDS = [
  ['good', 0.6],
  ['broken', 0.75],
  ['lapse', 0.9],
  ['declined', 1],
] as const
type Kind = (typeof KINDS)[number][0]

/** What the fakes must have been made to do for a name, once each: payments, refunds, purchases, and the status in the end. */
const WANTED: { readonly [kind in Kind]: readonly [string, string, number, number, string | undefined] } = {
  good: ['1-0', '1-0', 1, 1, 'verified'],
  broken: ['1-1', '0-0', 0, 0, 'registration_failed'],
  lapse: ['1-0', '1-1', 1, 0, 'verified'],
  declined: ['0-0', '0-0', 0, 0, undefined],
}

const [engine] = enginesIn(values.engine)
const folder = mkdtempSync(join(tmpdir(), 'posthouse-registrations-'))
const data = join(folder, 'data')
const database = engine === 'postgres' ? await freshDatabase() : null
const shop = await openShop({ random, slowMs: 40, lostShare: 0.05, failedShare: 0.03 })
shop.porkbun.termMs = TERM_MS
console.log(`registrations: ${kills} kills, ${perRound} orders after each start, seed ${values.seed}, ${engine}`)

const start = () =>
  startShopServer({
    data,
    databaseUrl: database?.url ?? null,
    oneThread: values['one-thread'],
    settings: shop.settings,
  })

/** A subscription and a card, as somebody fills in Stripe's page. */
async function subscribe(server: ShopServer): Promise<void> {
  const { stripe } = shop
  for (const end = Date.now() + ROUND_MS; Date.now() < end; await pause(200)) {
    const link = await askApi(server, 'POST', '/billing/checkout', { plan: 'pro', trial: false })
    if (link?.status === 200) break
  }
  const { customer } = stripe.completeCheckout()
  await postEvent(server.http, stripe.event('checkout.session.completed', { object: 'checkout.session', customer }))
  for (const end = Date.now() + ROUND_MS; Date.now() < end; await pause(50))
    if ((await askApi(server, 'GET', '/billing'))?.body.payment_method === true) return
  throw new Error('the organization did not get its subscription')
}

/** Names by the last answer to their order; null: none arrived. */
const orders = new Map<string, number | null>()

async function order(server: ShopServer, name: string): Promise<void> {
  const answer = await askApi(server, 'POST', '/domains/register', { name, contact: CONTACT })
  orders.set(name, answer?.status ?? null)
}

function unanswered(): string[] {
  return [...orders].filter(([, status]) => status === null || status >= 500).map(([name]) => name)
}

function newName(round: number, number: number): string {
  const chance = random()
  const [kind] = KINDS.find(([, until]) => chance < until)!
  return `${kind}-${round}-${number}.com`
}

interface Work {
  readonly name: string
  readonly step: string
  readonly expiresAt: number | null
  readonly payments: number
}

async function works(look: Look): Promise<Work[]> {
  const rows = await look.rows(`select name, step, data from domain_work where kind = 'registration'`)
  return rows.map(({ name, step, data: text }) => ({ name, step, ...JSON.parse(String(text)) }) as Work)
}

const requests = () => shop.porkbun.requests.length + shop.stripe.requests.length

const REGISTRATION = ['charge', 'register', 'confirm', 'settle', 'zone', 'records', 'refund']

function isFinal({ step, expiresAt, payments }: Work): boolean {
  if (step === 'failed') return true
  const isRenewed = expiresAt !== null && expiresAt > Date.now() + TERM_MS
  return (step === 'hold' && isRenewed) || (step === 'renewCharge' && payments > 0)
}

let middle = 0
let renewing = 0
const killedAt = new Map<string, number>()
const begun = performance.now()
let look: Look | null = null
for (let round = 0; round < kills; round++) {
  const server = await start()
  look ??= await openLook(database?.url ?? join(data, DATABASE))
  if (round === 0) await subscribe(server)
  const again = unanswered()
  const isFull = again.length + (await works(look)).filter((work) => !isFinal(work)).length >= BACKLOG_MOST
  const fresh = Array.from({ length: isFull ? 1 : perRound }, (_, number) => newName(round, number))
  for (const name of fresh) orders.set(name, null)
  for (const path of ['/domain/create', '/domain/renew'])
    if (random() < LOST_SHARE) shop.porkbun.faults.push({ path, fault: 'lost' })
  const asked = [...again, ...fresh].map((name) => order(server, name))
  const stepsNow = async () => (await works(look!)).filter((work) => !isFinal(work)).map(({ step }) => step)
  const isRegistering = (steps: readonly string[]) => steps.some((step) => REGISTRATION.includes(step))
  const enough = requests() + 1 + Math.floor(random() * REQUESTS_MOST)
  for (const end = Date.now() + ROUND_MS; Date.now() < end && requests() < enough; ) await pause(5)
  await pause(random() * KILL_MS)
  const steps = await stepsNow()
  server.child.kill('SIGKILL')
  if (isRegistering(steps)) middle++
  if (steps.some((step) => step.startsWith('renew'))) renewing++
  for (const step of new Set(steps)) killedAt.set(step, (killedAt.get(step) ?? 0) + 1)
  await Promise.all([once(server.child, 'exit'), ...asked])
  if ((round + 1) % 10 === 0) console.log(`registrations: ${round + 1} kills, ${middle} of them during a registration`)
}
shop.calm()
const last = await start()
let statuses = new Map<string, string>()
for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(1_000)) {
  const again = unanswered()
  await Promise.all(again.map((name) => order(last, name)))
  if (again.length > 0 || !(await works(look!)).every(isFinal)) continue
  statuses = await domains(last)
  if (![...orders.keys()].some((name) => statuses.get(name) === 'pending')) break
}
await judge()
last.child.kill('SIGTERM')
await once(last.child, 'exit')
await look?.close()
await shop.close()
await database?.drop()
await stopOwnPostgres()
rmSync(folder, { recursive: true, force: true })
console.log(process.exitCode === 1 ? 'registrations: FAILED' : 'registrations: ok')
process.exit()

/** Succeeded payments and refunds for a name. `use`: `, 1 year` or `, renewal`. */
function paid(name: string, use: string): { readonly paid: number; readonly refunded: number } {
  const { payments, refunds } = shop.stripe
  const made = [...payments.values()].filter(
    ({ description, status }) => status === 'succeeded' && description.startsWith(`${name}${use}`),
  )
  const isRefunded = ({ id }: { readonly id: string }) => refunds.some(({ payment_intent: one }) => one === id)
  return { paid: made.length, refunded: made.filter(isRefunded).length }
}

function bought(kind: 'create' | 'renew', name: string): number {
  return shop.porkbun.bought.filter((one) => one.kind === kind && one.name === name).length
}

async function judge(): Promise<void> {
  const wrong: string[] = []
  for (const [name, status] of orders) {
    const kind = name.split('-')[0] as Kind
    const [first, renewal] = [paid(name, ', 1 year'), paid(name, ', renewal')]
    const found = [
      `${first.paid}-${first.refunded}`,
      `${renewal.paid}-${renewal.refunded}`,
      bought('create', name),
      bought('renew', name),
      statuses.get(name),
    ]
    const isAnswered = kind === 'declined' ? status === 402 : status === 200 || status === 201
    if (!isAnswered || JSON.stringify(found) !== JSON.stringify(WANTED[kind]))
      wrong.push(`${name}: answered ${status}, ${JSON.stringify(found)}`)
  }
  const { payments, refunds } = shop.stripe
  const succeeded = [...payments.values()].filter(({ status }) => status === 'succeeded').length
  const names = new Map(
    KINDS.map(([kind]) => [kind, [...orders.keys()].filter((name) => name.startsWith(kind)).length]),
  )
  const created = shop.porkbun.bought.filter(({ kind }) => kind === 'create').length
  for (const line of wrong.slice(0, 20)) console.log(`registrations: WRONG ${line}`)
  console.log(
    `registrations: ${orders.size} orders (${[...names].map(([kind, count]) => `${count} ${kind}`).join(', ')}); at the fakes ${succeeded} payments, ${refunds.length} refunds, ${created} registrations, ${shop.porkbun.bought.length - created} renewals; ${wrong.length} wrong`,
  )
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
  const steps = [...killedAt].map(([step, count]) => `${step} ${count}`).join(', ')
  console.log(
    `registrations: ${kills} kills, ${middle} while a registration was under way, ${renewing} while a renewal was; by step: ${steps}; ${seconds} s`,
  )
  if (wrong.length > 0 || middle < kills * MIDDLE_SHARE || created === 0) process.exitCode = 1
}

/** Status by name. */
async function domains(server: ShopServer): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let cursor = ''; ; ) {
    const next = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await askApi(server, 'GET', `/domains?limit=100${next}`)
    for (const { name, status } of answer!.body.data) found.set(name, status)
    if (answer!.body.pagination.next_cursor === null) return found
    cursor = answer!.body.pagination.next_cursor
  }
}
