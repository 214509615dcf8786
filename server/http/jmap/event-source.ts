/**
 * RFC 8620 7.3: state changes as server-sent events. The id of each event is a push state of all accounts that the client may see. A client
 * that reconnects with Last-Event-ID gets at once what it missed.
 */
import type { ServerResponse } from 'node:http'
import type { CalendarAlert } from '../../../jmap/calendars/reminders/calendar-alert.ts'
import type { Channel } from '../../../jmap/push/channel.ts'
import type { Channels } from '../../../jmap/push/channels.ts'
import type { ChangedStates } from '../../../jmap/push/state-snapshot.ts'
import type { Clock } from '../../base/clock.ts'
import {
  EVENT_SOURCE_PING_MAX,
  EVENT_SOURCE_PING_MIN,
  EVENT_SOURCES_MAX,
  PUSH_BACKLOG_BYTES,
} from '../../base/push-limits.ts'
import { credentialGone, problem } from '../problem.ts'
import { Slots } from '../slots.ts'
import type { JmapExchange } from './exchange.ts'

export class EventSources {
  readonly #channels: Channels
  readonly #clock: Clock
  readonly #slots = new Slots(EVENT_SOURCES_MAX)
  readonly #open = new Set<EventSource>()

  constructor(channels: Channels, clock: Clock) {
    this.#channels = channels
    this.#clock = clock
  }

  /** Resolves when the response has begun. @throws HttpProblem 400, 403, 429 */
  async run({ request, response, principal, query, ip }: JmapExchange): Promise<void> {
    const options = readOptions(query)
    const release = this.#slots.take(principal.credential)
    if (!release) throw problem(429, `A client has at most ${EVENT_SOURCES_MAX} event sources.`)
    response.on('close', release)
    const source = new EventSource(response, options, this.#clock)
    const channel = await this.#channels.open(principal, ip, source)
    if (!channel) throw credentialGone()
    this.#open.add(source)
    const close = () => {
      this.#open.delete(source)
      source.stop()
      this.#channels.close(channel)
    }
    response.on('close', close)
    if (response.closed) close()
    await source.start(channel, request.headers['last-event-id'])
  }

  close(): void {
    for (const source of this.#open) source.end()
  }
}

interface EventSourceOptions {
  /** null: all. */
  readonly types: readonly string[] | null
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
    types: types === '*' ? null : types.split(','),
    closeAfterState: closeAfter === 'state',
    ping: seconds === 0 ? 0 : Math.min(Math.max(seconds, EVENT_SOURCE_PING_MIN), EVENT_SOURCE_PING_MAX),
  }
}

class EventSource {
  readonly #response: ServerResponse
  readonly #options: EventSourceOptions
  readonly #clock: Clock
  #cancelPing: () => void = () => {}

  constructor(response: ServerResponse, options: EventSourceOptions, clock: Clock) {
    this.#response = response
    this.#options = options
    this.#clock = clock
  }

  /** @param lastId Last-Event-ID of a client that reconnects */
  async start(channel: Channel, lastId: string | string[] | undefined): Promise<void> {
    const since = typeof lastId === 'string' && lastId !== '' ? lastId : null
    const { changed, alerts, state } = await channel.enable(this.#options.types, since)
    const response = this.#response
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-store',
      // Otherwise nginx buffers the response.
      'X-Accel-Buffering': 'no',
    })
    // An event source is silent most of the time.
    response.socket?.setTimeout(0)
    response.flushHeaders()
    this.#ping()
    if (alerts.length > 0) this.alert(alerts, null)
    if (Object.keys(changed).length > 0) this.tell(changed, state)
    // An id without data is no event, but the client stores it, so that it misses nothing if the connection ends before the first event.
    else response.write(`id: ${state}\n\n`)
  }

  tell(changed: ChangedStates, state: string): void {
    if (this.#response.writableEnded) return
    const data = JSON.stringify({ '@type': 'StateChange', changed })
    this.#write(`event: state\nid: ${state}\ndata: ${data}\n\n`)
    // RFC 8620 7.3: the response ends after a state event.
    if (this.#options.closeAfterState) this.end()
    else this.#ping()
  }

  /** JMAP Calendars 6.4. An alert is no state event: `closeafter` does not end the response. */
  alert(alerts: readonly CalendarAlert[], state: string | null): void {
    if (this.#response.writableEnded) return
    const events = alerts.map((alert) => `event: calendarAlert\ndata: ${JSON.stringify(alert)}\n\n`)
    this.#write(`${events.join('')}${state === null ? '' : `id: ${state}\n\n`}`)
    this.#ping()
  }

  isReady(): boolean {
    return this.#response.headersSent
  }

  end(): void {
    if (this.#response.headersSent) this.#response.end()
    else this.#response.destroy()
  }

  stop(): void {
    this.#cancelPing()
  }

  /** RFC 8620 7.3: a ping follows when this time has passed since the previous event. A ping has no id. */
  #ping(): void {
    const { ping } = this.#options
    this.#cancelPing()
    if (ping === 0) return
    this.#cancelPing = this.#clock.after(ping * 1000, () => {
      this.#write(`event: ping\ndata: ${JSON.stringify({ interval: ping })}\n\n`)
      this.#ping()
    })
  }

  #write(text: string): void {
    // Events for a client that does not read are not buffered. It gets them when it reconnects.
    if (this.#response.writableLength > PUSH_BACKLOG_BYTES) this.#response.destroy()
    else this.#response.write(text)
  }
}
