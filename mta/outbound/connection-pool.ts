/** Open connections by host: a limited number, kept open for a short time for the next message, and closed after many messages. */
import type { Clock } from '../../server/base/clock.ts'
import {
  OUTBOUND_CONNECTIONS_PER_HOST,
  OUTBOUND_IDLE_MS,
  OUTBOUND_MESSAGES_PER_CONNECTION,
} from '../../server/base/outbound-limits.ts'
import type { PeerConnection } from './peer-connection.ts'
import type { PeerError } from './transaction.ts'

interface Host {
  /** Connections, and those of them that are still being opened. */
  open: number
  opening: number
  readonly idle: { connection: PeerConnection; cancel: () => void }[]
  readonly waiting: Waiting[]
}

interface Waiting {
  /** Called with a connection that became free, or with null when another one may be opened. */
  wake(handed: PeerConnection | null): void
  fail(error: unknown): void
}

export class ConnectionPool {
  readonly #hosts = new Map<string, Host>()
  readonly #clock: Clock
  readonly #all = new Set<PeerConnection>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * An idle connection, or a new one; waits while the host has reached its limit. Rejects when `open` rejects, when `signal` is aborted
   * during the wait, and when the host turns out to be silent.
   * @returns `fresh` false: the connection was idle, and the host may have closed it.
   */
  async take(
    key: string,
    open: () => Promise<PeerConnection>,
    signal: AbortSignal,
  ): Promise<{ connection: PeerConnection; fresh: boolean }> {
    let host = this.#host(key)
    let handed: PeerConnection | null = null
    while (!handed && host.open >= OUTBOUND_CONNECTIONS_PER_HOST) {
      handed = await turn(host.waiting, signal)
      host = this.#host(key)
    }
    if (handed?.usable) return { connection: handed, fresh: false }
    // The connection has ended meanwhile; another one may be opened instead.
    if (handed) this.#all.delete(handed)
    else host.open++
    for (let kept = host.idle.pop(); kept; kept = host.idle.pop()) {
      kept.cancel()
      if (kept.connection.usable) return { connection: kept.connection, fresh: false }
      this.#all.delete(kept.connection)
    }
    host.opening++
    try {
      const connection = await open()
      host.opening--
      this.#all.add(connection)
      return { connection, fresh: true }
    } catch (error) {
      // The host is silent and has no open connection: the waiting attempts would all run into the same timeout, one after the other.
      if (host.open === host.opening && (error as PeerError).code === 'ETIMEDOUT')
        for (const { fail } of host.waiting.splice(0)) fail(error)
      host.opening--
      this.#leave(key, host)
      throw error
    }
  }

  /** Returns a connection. @param reusable false after an error, when its state is not known */
  give(key: string, connection: PeerConnection, reusable: boolean): void {
    const host = this.#hosts.get(key)
    if (!host) return
    if (!reusable || !connection.usable || connection.messages >= OUTBOUND_MESSAGES_PER_CONNECTION) {
      this.#end(connection)
    } else {
      const next = host.waiting.shift()
      if (next) {
        next.wake(connection)
        return
      }
      const kept = { connection, cancel: () => {} }
      kept.cancel = this.#clock.after(OUTBOUND_IDLE_MS, () => {
        host.idle.splice(host.idle.indexOf(kept), 1)
        this.#end(connection)
        this.#forget(key, host)
      })
      host.idle.push(kept)
    }
    this.#leave(key, host)
  }

  /** Closes idle connections, and aborts the others. */
  close(): void {
    for (const host of this.#hosts.values()) for (const { cancel } of host.idle.splice(0)) cancel()
    for (const connection of this.#all) {
      connection.leave()
      connection.abort()
    }
    this.#all.clear()
  }

  #host(key: string): Host {
    const host = this.#hosts.get(key) ?? { open: 0, opening: 0, idle: [], waiting: [] }
    this.#hosts.set(key, host)
    return host
  }

  /** Sends QUIT; the connection is kept in `#all` until the host has replied. */
  #end(connection: PeerConnection): void {
    connection.once('end', () => this.#all.delete(connection))
    connection.leave()
    if (!connection.usable) this.#all.delete(connection)
  }

  #leave(key: string, host: Host): void {
    host.open--
    host.waiting.shift()?.wake(null)
    this.#forget(key, host)
  }

  #forget(key: string, host: Host): void {
    if (host.open === 0 && host.idle.length === 0 && host.waiting.length === 0) this.#hosts.delete(key)
  }
}

/** Waits in the queue of a host; rejects, and leaves the queue, when `signal` is aborted. */
function turn(waiting: Host['waiting'], signal: AbortSignal): Promise<PeerConnection | null> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiting.splice(waiting.indexOf(one), 1)
      reject(new Error('The attempt took too long'))
    }
    const leave = () => signal.removeEventListener('abort', abort)
    const one: Waiting = {
      wake(handed) {
        leave()
        resolve(handed)
      },
      fail(error) {
        leave()
        reject(error)
      },
    }
    signal.addEventListener('abort', abort, { once: true })
    waiting.push(one)
  })
}
