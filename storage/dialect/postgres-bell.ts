/**
 * LISTEN/NOTIFY as a bell between nodes (spec/decisions/0006-storage.md): what it carries is a hint to look, the rows are the truth. It has a
 * session of its own, so that writers never wait for it. While that session is lost nothing is heard and nothing is told: when it is
 * there again, everybody looks anew. The time of the other machine is the real one, as with the writer.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import {
  POSTGRES_BELL_ANSWER_MS,
  POSTGRES_BELL_CHECK_MS,
  POSTGRES_NOTIFY_MAX_BYTES,
  POSTGRES_PAUSE_MAX_MS,
  POSTGRES_PAUSE_MS,
} from '../../server/base/limits.ts'
import type { CommittedChange } from '../ports.ts'
import type { Bell } from './dialect.ts'

const CHANNEL = 'posthouse_commits'

/** One account in a message: number, kind, newest states. */
type Item = [account: number, kind: CommittedChange['kind'], states: CommittedChange['states']]

/** Without items: commits may have gone untold. */
interface Message {
  readonly from: string
  readonly items?: readonly Item[]
}

export class PostgresBell implements Bell {
  readonly #connect: () => Promise<pg.Client>
  readonly #heard: (changes: readonly CommittedChange[] | null) => void
  readonly #node = randomUUID()
  /** By account: what is to be told, merged. */
  #untold = new Map<number, CommittedChange>()
  #client: pg.Client | null = null
  #telling = false
  #closed = false
  #idle: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined

  /** @param connect gives a session that is ready for queries */
  constructor(connect: () => Promise<pg.Client>, heard: (changes: readonly CommittedChange[] | null) => void) {
    this.#connect = connect
    this.#heard = heard
    void this.#open(POSTGRES_PAUSE_MS)
  }

  ring(changes: readonly CommittedChange[]): void {
    for (const change of changes) {
      const before = this.#untold.get(change.account)
      this.#untold.set(change.account, { ...change, states: { ...before?.states, ...change.states } })
    }
    void this.#tell()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    if (this.#client && (this.#telling || this.#untold.size > 0)) {
      const told = new Promise<void>((resolve) => {
        this.#idle = resolve
      })
      await within(POSTGRES_BELL_ANSWER_MS, told).catch(() => {})
    }
    await this.#client?.end().catch(() => {})
  }

  async #open(pause: number): Promise<void> {
    try {
      const client = await this.#connect()
      client.on('notification', ({ payload }) => this.#hear(payload ?? ''))
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
    // What was committed, here or there, while nobody listened.
    this.#heard(null)
    await this.#notify({ from: this.#node })
    await this.#tell()
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    client.end().catch(() => {})
    clearTimeout(this.#timer)
    if (!this.#closed) void this.#open(POSTGRES_PAUSE_MS)
  }

  /** A server that is gone without a word would be noticed only minutes later. */
  #check(): void {
    this.#later(POSTGRES_BELL_CHECK_MS, async () => {
      const client = this.#client
      if (!client) return
      try {
        await within(POSTGRES_BELL_ANSWER_MS, client.query('select 1'))
        if (this.#client === client) this.#check()
      } catch {
        this.#lose(client)
      }
    })
  }

  async #tell(): Promise<void> {
    if (this.#telling || !this.#client) return
    this.#telling = true
    while (this.#client && this.#untold.size > 0) await this.#notify({ from: this.#node, items: this.#take() })
    this.#telling = false
    if (this.#untold.size === 0) this.#idle?.()
  }

  /** As many accounts as one message holds. */
  #take(): Item[] {
    const items: Item[] = []
    let size = 0
    for (const [number, { account, kind, states }] of this.#untold) {
      const item: Item = [account, kind, states]
      size += JSON.stringify(item).length + 1
      if (items.length > 0 && size > POSTGRES_NOTIFY_MAX_BYTES) break
      items.push(item)
      this.#untold.delete(number)
    }
    return items
  }

  async #notify(message: Message): Promise<void> {
    const client = this.#client
    if (!client) return
    try {
      await client.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(message)])
    } catch {
      // It is told to look anew by whoever opens the session again.
      this.#lose(client)
    }
  }

  #hear(payload: string): void {
    const { from, items } = JSON.parse(payload) as Message
    if (from === this.#node) return
    this.#heard(items?.map(([account, kind, states]) => ({ account, kind, states })) ?? null)
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
