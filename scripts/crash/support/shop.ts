/**
 * The world outside of a server that is killed: a registrar, Stripe, and a name server with the records that the registrar holds, all on
 * loopback in the process of the script. They answer slowly, lose answers, and count what they were asked to do.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createFakePorkbun, type FakePorkbun, PORKBUN_KEYS } from '../../../spec/support/fake-porkbun.ts'
import {
  type FakeStripe,
  type SignedEvent,
  STRIPE_KEY,
  STRIPE_PRICES,
  startStripe,
  WEBHOOK_SECRET,
} from '../../../spec/support/stripe.ts'
import { type Records, startZoneServer } from '../../../spec/support/zone-server.ts'

export interface Shop {
  readonly porkbun: FakePorkbun
  readonly stripe: FakeStripe
  /** Of the server. */
  readonly settings: readonly string[]
  /** From now on every answer arrives. */
  calm(): void
  close(): Promise<void>
}

export interface ShopOptions {
  readonly random: () => number
  /** Milliseconds before a request is fulfilled, and before its answer, at most. */
  readonly slowMs: number
  /** Shares of the answers of Stripe that are lost, and of its requests that fail. */
  readonly lostShare: number
  readonly failedShare: number
}

/** The domain of the server's own mail host, and the name server of all zones. */
const HOST = 'mail.posthouse-host.com'
const NAME_SERVER = 'ns.name-server.net'

export async function openShop({ random, slowMs, lostShare, failedShare }: ShopOptions): Promise<Shop> {
  const closing: (() => unknown)[] = []
  const teardown = (close: () => unknown) => void closing.push(close)
  const delay = () => pause(random() * slowMs)
  const porkbun = createFakePorkbun()
  porkbun.delay = delay
  porkbun.server.listen(0, '127.0.0.1')
  await once(porkbun.server, 'listening')
  const { port } = porkbun.server.address() as AddressInfo
  const stripe = await startStripe({ teardown }, { now: Date.now })
  stripe.delay = delay
  stripe.befall = () => {
    const chance = random()
    return chance < lostShare ? 'lost' : chance < lostShare + failedShare ? { status: 500 } : 'pass'
  }
  const zones = { [Symbol.iterator]: () => porkbun.domains.keys() }
  const names = await startZoneServer({ teardown }, zones, recordsOf(porkbun))
  const prices = Object.entries(STRIPE_PRICES).map(([plan, price]) => `${plan}=${price}`)
  return {
    porkbun,
    stripe,
    settings: [
      ...['--registrar=porkbun', `--registrar-url=http://127.0.0.1:${port}`, `--hostname=${HOST}`],
      ...[`--registrar-account=${PORKBUN_KEYS.apiKey}`, `--registrar-key=${PORKBUN_KEYS.secretKey}`],
      ...['--plan-limits=off', '--billing=stripe', `--stripe-url=${stripe.url}`, `--stripe-prices=${prices.join(',')}`],
      ...[`--stripe-secret-key=${STRIPE_KEY}`, `--stripe-webhook-secret=${WEBHOOK_SECRET}`],
      ...[`--dns=127.0.0.1:${names.port}`, `--dns-authority-port=${names.port}`],
    ],
    calm() {
      porkbun.faults.length = 0
      stripe.befall = () => 'pass'
    },
    async close() {
      porkbun.server.closeAllConnections()
      porkbun.server.close()
      for (const close of closing) await close()
    },
  }
}

/** The registrar's records, as they are when they are asked for: `name TYPE` to their presentation form. */
function recordsOf({ domains }: FakePorkbun): Records {
  return new Proxy<Records>(
    {},
    {
      get(_, key) {
        const [name = '', type = ''] = String(key).split(' ')
        if (type === 'A') return name === NAME_SERVER ? ['127.0.0.1'] : undefined
        if (type === 'NS') return domains.has(name) ? [NAME_SERVER] : undefined
        const domain = domains.get(name.split('.').slice(-2).join('.'))
        const found = domain?.records.filter((record) => record.name === name && record.type === type) ?? []
        const texts = found.map(({ content, prio }) => (prio === null ? content : `${prio} ${content}`))
        return texts.length > 0 ? texts : undefined
      },
    },
  )
}

/** Posts a webhook. Resolves with the status; null: no answer arrived. */
export async function postEvent(http: string, { body, signature }: SignedEvent): Promise<number | null> {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  try {
    const response = await fetch(`${http}/billing/stripe/webhook`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

/** A request of the API. Resolves with null if no answer arrived. */
export async function askApi(
  { http, key }: { readonly http: string; readonly key: string },
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Body } | null> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  try {
    const response = await fetch(`${http}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return null
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of the server under test
type Body = any
