/**
 * LISTEN/NOTIFY between nodes. A notification is only a hint; the rows are the truth. It has a separate session, so that writers never
 * wait for it. While this session is lost, notifications are neither sent nor received. After it is restored, all nodes are notified
 * that they may have missed some. Timeouts use the system's clock, because the other machine does too.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import {
  POSTGRES_NOTIFIER_ANSWER_MS,
  POSTGRES_NOTIFIER_CHECK_MS,
  POSTGRES_NOTIFY_MAX_BYTES,
  POSTGRES_PAUSE_MAX_MS,
  POSTGRES_PAUSE_MS,
} from '../../server/base/limits.ts'
import type { CommittedChange } from '../ports.ts'
import type { Notifier } from './dialect.ts'

const CHANNEL = 'posthouse_commits'

/** One account in a message. */
type Item = [account: number, kind: CommittedChange['kind'], states: CommittedChange['states']]

/** Without items: the sender's session was lost, and commits may have gone unreported. */
interface Message {
  readonly from: string
  readonly items?: readonly Item[]
}

export class PostgresNotifier implements Notifier {
  readonly #connect: () => Promise<pg.Client>
  readonly #onRemoteCommit: (changes: readonly CommittedChange[] | null) => void
  readonly #node = randomUUID()
  /** Changes that are still to be sent, merged by account. */
  #unsent = new Map<number, CommittedChange>()
  #client: pg.Client | null = null
  #sending = false
  #closed = false
  #onSent: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined

  /** @param connect opens a session that is ready for queries */
  constructor(connect: () => Promise<pg.Client>, onRemoteCommit: (changes: readonly CommittedChange[] | null) => void) {
    this.#connect = connect
    this.#onRemoteCommit = onRemoteCommit
    void this.#open(POSTGRES_PAUSE_MS)
  }

  notify(changes: readonly CommittedChange[]): void {
    for (const change of changes) {
      const before = this.#unsent.get(change.account)
      this.#unsent.set(change.account, { ...change, states: { ...before?.states, ...change.states } })
    }
    void this.#sendAll()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    if (this.#client && (this.#sending || this.#unsent.size > 0)) {
      const sent = new Promise<void>((resolve) => {
        this.#onSent = resolve
      })
      await within(POSTGRES_NOTIFIER_ANSWER_MS, sent).catch(() => {})
    }
    await this.#client?.end().catch(() => {})
  }

  async #open(pause: number): Promise<void> {
    try {
      const client = await this.#connect()
      client.on('notification', ({ payload }) => this.#receive(payload ?? ''))
      client.on('error', () => this.#lose(client))
      client.on('end', () => this.#lose(client))
      await client.query(`listen ${CHANNEL}`)
      if (this.#closed) {
        await client.end()
        return
      }
      this.#client = client
    } catch {
      this.#later(pause, () => void this.#open(Math.min(2 * pause, POSTGRES_PAUSE_MAX_MS)))
      return
    }
    this.#check()
    // Commits here and elsewhere may have gone unreported meanwhile.
    this.#onRemoteCommit(null)
    await this.#send({ from: this.#node })
    await this.#sendAll()
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    client.end().catch(() => {})
    clearTimeout(this.#timer)
    if (!this.#closed) void this.#open(POSTGRES_PAUSE_MS)
  }

  /** Without it, the loss of a server that does not close its connections would be noticed minutes later. */
  #check(): void {
    this.#later(POSTGRES_NOTIFIER_CHECK_MS, async () => {
      const client = this.#client
      if (!client) return
      try {
        await within(POSTGRES_NOTIFIER_ANSWER_MS, client.query('select 1'))
        if (this.#client === client) this.#check()
      } catch {
        this.#lose(client)
      }
    })
  }

  async #sendAll(): Promise<void> {
    if (this.#sending || !this.#client) return
    this.#sending = true
    while (this.#client && this.#unsent.size > 0) await this.#send({ from: this.#node, items: this.#take() })
    this.#sending = false
    if (this.#unsent.size === 0) this.#onSent?.()
  }

  /** As many accounts as fit into one message. */
  #take(): Item[] {
    const items: Item[] = []
    let size = 0
    for (const [number, { account, kind, states }] of this.#unsent) {
      const item: Item = [account, kind, states]
      size += JSON.stringify(item).length + 1
      if (items.length > 0 && size > POSTGRES_NOTIFY_MAX_BYTES) break
      items.push(item)
      this.#unsent.delete(number)
    }
    return items
  }

  async #send(message: Message): Promise<void> {
    const client = this.#client
    if (!client) return
    try {
      await client.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(message)])
    } catch {
      // After the session is open again, all nodes are notified that they may have missed this.
      this.#lose(client)
    }
  }

  #receive(payload: string): void {
    const { from, items } = JSON.parse(payload) as Message
    if (from === this.#node) return
    this.#onRemoteCommit(items?.map(([account, kind, states]) => ({ account, kind, states })) ?? null)
  }

  #later(ms: number, run: () => void): void {
    if (this.#closed) return
    this.#timer = setTimeout(run, ms)
    this.#timer.unref()
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
