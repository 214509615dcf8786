/** A server with a mailbox that has a booking page, and what visitors do there. */
import type { Test } from 'tap'
import type { Core } from '../../../jmap/services.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import { bookingMailWorker } from '../../../server/workers/booking-mails.ts'
import { outgoing, textOf } from '../../jmap/delivery/support.ts'
import type { Result } from '../../support/core.ts'
import type { EngineName } from '../../support/engines.ts'
import { startHttp, type TestHttpOptions } from '../../support/http-server.ts'

/** The clock of tests begins on Thursday, 2026-01-01. */
export const MONDAY = '2026-01-05'

export interface Asked {
  readonly json?: object
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

export interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Octets of the body. */
  readonly size: number
  readonly body: Result
}

export interface Letter {
  readonly to: readonly string[]
  readonly mailFrom: string
  readonly header: string
  readonly body: string
  /** The whole message. */
  readonly source: string
}

/** @param around wraps the core */
export async function startBooking(
  t: Test,
  engine: EngineName = 'sqlite',
  bookingsPerHour = 0,
  around: (core: Core) => Core = (core) => core,
  more: Pick<TestHttpOptions, 'zoomFault' | 'fetchImage'> = {},
) {
  const http = await startHttp(t, { engine, bookingsPerHour, around, ...more })
  const { request, organization, alice, url } = http
  const [own] = await request([['Organization/get', { accountId: organization.accountId, ids: null }]])
  const folder = `/book/${(own as Result)[1].list[0].slug}`

  async function visit(path: string, { json, form, headers = {}, method }: Asked = {}): Promise<Seen> {
    const type = json ? 'application/json' : 'application/x-www-form-urlencoded'
    const body = json ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : null
    const answer = await fetch(url + path, {
      method: method ?? (body === null ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: { ...(body !== null && { 'Content-Type': type }), ...headers },
      body,
    })
    const octets = Buffer.from(await answer.arrayBuffer())
    const text = octets.toString()
    const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json')
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      size: octets.length,
      body: isJson ? JSON.parse(text) : null,
    }
  }

  /** The path of a new page. */
  async function page(values: object = {}): Promise<string> {
    const create = { p: { name: 'Intro call', mailboxId: alice.accountId, minimumNoticeMinutes: 0, ...values } }
    const [made] = await request([['BookingPage/set', { accountId: organization.accountId, create }]])
    const { created, notCreated } = (made as Result)[1]
    if (!created) throw new Error(JSON.stringify(notCreated))
    return `${folder}/${created.p.slug}`
  }

  const invitee = { name: 'Jane Doe', email: 'jane@example.org', timezone: 'UTC' }

  return {
    ...http,
    visit,
    page,
    invitee,
    /** Books a time as a program does. */
    book: (path: string, start: string, more: object = {}) =>
      visit(`${path}/bookings`, { json: { ...invitee, start, ...more } }),
    /** Starts of the free slots of some days. */
    async slots(path: string, from = MONDAY, to = from): Promise<string[]> {
      const { body } = await visit(`${path}/slots?from=${from}&to=${to}&timezone=UTC`)
      return body.slots.map(({ start }: { start: string }) => start.slice(0, 16))
    },
    async events(): Promise<Result[]> {
      return (await alice.call('CalendarEvent/get', { ids: null })).list
    },
    /** What webhooks are told, the oldest first. */
    async told(): Promise<Result[]> {
      const [listed] = await request([['Event/list', { accountId: organization.accountId }]], SYSTEM)
      return (listed as Result)[1].list.filter(({ event_type }: Result) => event_type.startsWith('booking.')).reverse()
    },
    /** What a worker does about all that is due now. */
    async workOff(): Promise<void> {
      const worker = bookingMailWorker({ core: http.core, clock: http.clock, logger: silentLogger })
      worker.start()
      await worker.settled()
      await worker.stop()
    },
    /** Mails queued since the last call, by their recipients. */
    async letters(): Promise<Letter[]> {
      const letters = (await outgoing(http)).map((one) => ({
        to: one.recipients.map(({ address }) => address),
        mailFrom: one.mailFrom,
        source: Buffer.from(one.bytes).toString(),
        ...textOf(one),
      }))
      return letters.sort((a, b) => (a.to.join() < b.to.join() ? -1 : 1))
    },
  }
}

export type BookingWorld = Awaited<ReturnType<typeof startBooking>>

/** The path of a booking's link. */
export function linkOf({ body }: Seen): string {
  return new URL(body.manage_url).pathname
}
