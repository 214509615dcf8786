/**
 * Newsletters that are sent at once to audiences of their own, by a server of a script, to a sink that knows when each recipient was
 * served. The pace is off, and so are plan and reputation.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EngineName } from '../../../spec/support/engines.ts'
import { freshDatabase, stopOwnPostgres } from '../../../spec/support/postgres.ts'
import { cuttingSink } from './cutting-sink.ts'
import { type Addresses, type Installation, type ServerProcess, startServer } from './process.ts'

/** A newsletter, and the audience that it goes to. */
export interface Sending {
  readonly id: string
  readonly audience: string
}

const ROWS = 1_000
const BODY = 'News of the month, with something to read for everybody. '.repeat(20)
/** A single message that has not come by then. */
const SINGLE_MS = 60_000

/** Of the recipient with this index. */
export function addressOf(newsletter: number, index: number): string {
  return `r${index}@n${newsletter}-${index % 20}.out.test`
}

export interface NewsletterWorld {
  /** When each recipient was served, epoch ms: once, unless a message came twice. */
  readonly served: ReadonlyMap<string, readonly number[]>
  /** A server on the same data, which is ready. */
  start(): Promise<{ readonly server: ServerProcess; readonly ready: Addresses }>
  call(ready: Addresses, method: string, path: string, body?: object): Promise<Answer>
  prepare(ready: Addresses, newsletters: number, recipients: number): Promise<Sending[]>
  /** All of them, now. @returns epoch ms when they begin */
  schedule(ready: Addresses, sendings: readonly Sending[]): Promise<number>
  /** Whether all newsletters are sent. @throws Error if one is paused or has failed */
  areSent(ready: Addresses, sendings: readonly Sending[]): Promise<boolean>
  /** Milliseconds from the request to the sink. */
  sendSingle(ready: Addresses): Promise<number>
  end(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of the server under test
type Answer = any

export async function newsletterWorld(engine: EngineName): Promise<NewsletterWorld> {
  const served = new Map<string, number[]>()
  const sink = cuttingSink(() => null)
  const record = sink.taken.set.bind(sink.taken)
  sink.taken.set = (key, count) => {
    const address = key.slice(key.indexOf(' ') + 1)
    const times = served.get(address)
    if (times) times.push(Date.now())
    else served.set(address, [Date.now()])
    return record(key, count)
  }
  sink.server.listen(0, '127.0.0.1')
  await once(sink.server, 'listening')
  const { port } = sink.server.address() as AddressInfo
  const data = mkdtempSync(join(tmpdir(), 'posthouse-newsletters-'))
  const database = engine === 'postgres' ? await freshDatabase() : null
  const limits = ['--plan-limits=off', '--reputation=off', '--newsletter-pace=off', '--rate-send=0']
  const place = database ? [`--database=${database.url}`] : []
  const settings = ['--dev', ...place, ...limits, `--outbound=smtp://127.0.0.1:${port}`]
  // Dev mode verifies the domain at once, and prints credentials at each start.
  let credentials: Pick<Installation, 'api_key' | 'mailbox'> | null = null

  const call: NewsletterWorld['call'] = async ({ http }, method, path, body) => {
    const headers = { Authorization: `Bearer ${credentials!.api_key}`, 'Content-Type': 'application/json' }
    const text = body && JSON.stringify(body)
    const response = await fetch(`${http}/api/v1${path}`, { method, headers, ...(text && { body: text }) })
    const answer = (await response.json()) as Answer
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }

  const fill = async (ready: Addresses, newsletter: number, recipients: number): Promise<Sending> => {
    const { id: audience } = await call(ready, 'POST', '/audiences', { name: `A${newsletter}`, consent_source: 'Form' })
    for (let from = 0; from < recipients; from += ROWS) {
      const subscribers = Array.from({ length: Math.min(ROWS, recipients - from) }, (_, i) => ({
        email_address: addressOf(newsletter, from + i),
        merge_fields: { first_name: `N${from + i}` },
      }))
      await call(ready, 'POST', `/audiences/${audience}/subscribers/batch`, { subscribers })
    }
    const blocks = [
      { type: 'heading', text: 'News' },
      ...Array.from({ length: 8 }, () => ({ type: 'paragraph', body: `Hello {{first_name|you}}. ${BODY}` })),
      { type: 'button', label: 'Read', url: 'https://www.example.com/' },
    ]
    const draft = { audience_id: audience, subject: `Number ${newsletter} for {{first_name}}`, blocks }
    const { id } = await call(ready, 'POST', '/newsletters', draft)
    return { id, audience }
  }

  let singles = 0
  return {
    served,
    call,
    async start() {
      const server = startServer(data, [], settings)
      const ready = await server.ready
      if (!ready) throw new Error('the server ended before it was ready')
      credentials ??= ready as Addresses & Installation
      return { server, ready }
    },
    async prepare(ready, newsletters, recipients) {
      await call(ready, 'PATCH', '/organization', { legal_name: 'News Ltd', postal_address: '1 Way' })
      const made: Sending[] = []
      for (let newsletter = 0; newsletter < newsletters; newsletter++)
        made.push(await fill(ready, newsletter, recipients))
      return made
    },
    async schedule(ready, sendings) {
      const at = Date.now() + 1_000 + 100 * sendings.length
      const scheduled_at = new Date(at).toISOString()
      for (const { id } of sendings) await call(ready, 'POST', `/newsletters/${id}/schedule`, { scheduled_at })
      return at
    },
    async areSent(ready, sendings) {
      const statuses: string[] = []
      for (const { id } of sendings) statuses.push((await call(ready, 'GET', `/newsletters/${id}`)).status)
      const bad = statuses.find((status) => !['scheduled', 'sending', 'sent'].includes(status))
      if (bad) throw new Error(`a newsletter is ${bad}`)
      return statuses.every((status) => status === 'sent')
    },
    async sendSingle(ready) {
      const to = `single${++singles}@out.test`
      const begun = Date.now()
      const { address: from } = credentials!.mailbox
      await call(ready, 'POST', '/messages', { from, to, subject: 'Reset', text: 'Your link' })
      for (;;) {
        const at = served.get(to)?.[0]
        if (at !== undefined) return at - begun
        if (Date.now() > begun + SINGLE_MS) return SINGLE_MS
        await pause(20)
      }
    },
    async end() {
      sink.server.close()
      await database?.drop()
      await stopOwnPostgres()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
