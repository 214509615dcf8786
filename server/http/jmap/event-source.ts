/**
 * RFC 8620 7.3: state changes as server-sent events. A connection hears of the accounts that its session shows; which those are is
 * asked again whenever the organization's mailboxes change. It is a bell: a client that missed one finds out by /changes.
 */
import type { ServerResponse } from 'node:http'
import type { Core, JsonObject, StateChange } from '../../../jmap/core.ts'
import type { Clock } from '../../base/clock.ts'
import {
  EVENT_SOURCE_PING_MAX,
  EVENT_SOURCE_PING_MIN,
  EVENT_SOURCES_MAX,
  PUSH_BACKLOG_BYTES,
  PUSH_GATHER_MS,
} from '../../base/limits.ts'
import type { Principal } from '../../base/principal.ts'
import { problem } from '../problem.ts'
import { Slots } from '../slots.ts'
import type { JmapExchange } from './routes.ts'

type SourceCore = Pick<Core, 'session' | 'onStateChange'>

export class EventSources {
  readonly #core: SourceCore
  readonly #clock: Clock
  readonly #slots = new Slots(EVENT_SOURCES_MAX)
  readonly #open = new Set<EventSource>()
  readonly #stopListening: () => void

  constructor(core: SourceCore, clock: Clock) {
    this.#core = core
    this.#clock = clock
    this.#stopListening = core.onStateChange((change) => {
      for (const source of this.#open) source.hear(change)
    })
  }

  /** Resolves when the events have begun. @throws HttpProblem 400, 429 */
  async run({ response, principal, query }: JmapExchange): Promise<void> {
    const options = readOptions(query)
    const release = this.#slots.take(principal.credential)
    if (!release) throw problem(429, `A client has at most ${EVENT_SOURCES_MAX} event sources.`)
    response.on('close', release)
    const accounts = async () => Object.keys((await this.#core.session(principal, '')).accounts as JsonObject)
    const source = new EventSource(response, options, this.#clock, principal, accounts)
    response.on('close', () => {
      this.#open.delete(source)
      source.stop()
    })
    // Before the accounts are known: a change in between must not be missed.
    this.#open.add(source)
    await source.start()
  }

  close(): void {
    this.#stopListening()
    for (const source of this.#open) source.end()
  }
}

interface EventSourceOptions {
  /** null: all. */
  readonly types: ReadonlySet<string> | null
  readonly closeAfterState: boolean
  /** Seconds; 0: none. */
  readonly ping: number
}

/** @throws HttpProblem 400 */
function readOptions(query: URLSearchParams): EventSourceOptions {
  const types = query.get('types') || '*'
  const closeAfter = query.get('closeafter') || 'no'
  const ping = query.get('ping') || '0'
  if (closeAfter !== 'no' && closeAfter !== 'state') throw problem(400, 'closeafter must be "state" or "no".')
  if (!/^\d{1,9}$/.test(ping)) throw problem(400, 'ping must be a number of seconds.')
  const seconds = Number(ping)
  return {
    types: types === '*' ? null : new Set(types.split(',')),
    closeAfterState: closeAfter === 'state',
    ping: seconds === 0 ? 0 : Math.min(Math.max(seconds, EVENT_SOURCE_PING_MIN), EVENT_SOURCE_PING_MAX),
  }
}

class EventSource {
  readonly #response: ServerResponse
  readonly #options: EventSourceOptions
  readonly #clock: Clock
  readonly #principal: Principal
  readonly #visible: () => Promise<readonly string[]>
  #accounts: ReadonlySet<string> | null = null
  /** Not yet told: by account, by type, the newest state. */
  #pending = new Map<string, Record<string, string>>()
  #gathering = false
  #cancelPing: () => void = () => {}

  constructor(
    response: ServerResponse,
    options: EventSourceOptions,
    clock: Clock,
    principal: Principal,
    visible: () => Promise<readonly string[]>,
  ) {
    this.#response = response
    this.#options = options
    this.#clock = clock
    this.#principal = principal
    this.#visible = visible
  }

  async start(): Promise<void> {
    this.#accounts = new Set(await this.#visible())
    const response = this.#response
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-store',
      // nginx holds back answers otherwise.
      'X-Accel-Buffering': 'no',
    })
    // Silence is what an event source mostly is.
    response.socket?.setTimeout(0)
    response.flushHeaders()
    this.#ping()
    this.#gather()
  }

  hear({ account, accountId, changed }: StateChange): void {
    const { organization } = this.#principal
    if (account === organization && 'MailAccount' in changed) this.#refresh()
    const { types } = this.#options
    const wanted = Object.entries(changed).filter(([type]) => !types || types.has(type))
    if (wanted.length === 0) return
    this.#pending.set(accountId, { ...this.#pending.get(accountId), ...Object.fromEntries(wanted) })
    if (this.#accounts) this.#gather()
  }

  end(): void {
    if (this.#response.headersSent) this.#response.end()
    else this.#response.destroy()
  }

  stop(): void {
    this.#cancelPing()
    this.#pending.clear()
  }

  #refresh(): void {
    this.#visible().then(
      (accounts) => {
        this.#accounts = new Set(accounts)
      },
      // The client connects anew and asks again.
      () => this.end(),
    )
  }

  #gather(): void {
    if (this.#gathering || this.#pending.size === 0) return
    this.#gathering = true
    this.#clock.after(PUSH_GATHER_MS, () => {
      this.#gathering = false
      const changed = Object.fromEntries([...this.#pending].filter(([id]) => this.#accounts!.has(id)))
      this.#pending.clear()
      if (Object.keys(changed).length === 0 || this.#response.closed) return
      this.#write('state', { '@type': 'StateChange', changed })
      if (this.#options.closeAfterState) this.end()
      else this.#ping()
    })
  }

  /** RFC 8620 7.3: whenever this time has passed since the previous event. */
  #ping(): void {
    const { ping } = this.#options
    this.#cancelPing()
    if (ping === 0) return
    this.#cancelPing = this.#clock.after(ping * 1000, () => {
      this.#write('ping', { interval: ping })
      this.#ping()
    })
  }

  #write(event: string, data: object): void {
    if (this.#response.writableLength > PUSH_BACKLOG_BYTES) this.#response.destroy()
    else this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
}
