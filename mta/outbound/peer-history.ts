/**
 * Timeouts of new connections by experience. A host that greeted the last time gets the five minutes of RFC 5321 4.5.3.2.1. Other hosts get
 * OUTBOUND_FIRST_READY_MS at the first attempt at a message and twice as much at each further attempt: so a slow host is reached in the end, and
 * a dead host delays nothing else (promise Q4).
 */
import type { Clock } from '../../server/base/clock.ts'
import {
  OUTBOUND_CONNECT_MS,
  OUTBOUND_FIRST_READY_MS,
  OUTBOUND_READY_MS,
  QUEUE_DESTINATIONS_KNOWN,
} from '../../server/base/outbound-limits.ts'
import type { PeerConnection } from './peer-connection.ts'
import type { PeerError } from './transaction.ts'

interface Peer {
  readonly ip: string
  readonly port: number
}

export class PeerHistory {
  readonly #clock: Clock
  /** Hosts that were ready the last time, in that order. */
  readonly #greeted = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Opens the connection. Rejects with ETIMEDOUT when it takes too long until the host is ready for mail.
   * @param attempts made before at the message
   */
  async open({ ip, port }: Peer, connection: PeerConnection, attempts: number): Promise<void> {
    const host = `${ip} ${port}`
    const patience = this.#greeted.has(host)
      ? OUTBOUND_READY_MS
      : Math.min(OUTBOUND_READY_MS, OUTBOUND_FIRST_READY_MS * 2 ** attempts)
    const connectMs = Math.min(OUTBOUND_CONNECT_MS, patience)
    const cancels = [
      this.#clock.after(connectMs, () => {
        if (!connection.isConnected) connection.giveUp(`no connection in ${connectMs / 1_000} s`)
      }),
      this.#clock.after(patience, () => connection.giveUp(`not ready for mail in ${patience / 1_000} s`)),
    ]
    try {
      await connection.open()
      this.#add(host)
    } catch (error) {
      if ((error as PeerError).code === 'ETIMEDOUT') this.#greeted.delete(host)
      throw error
    } finally {
      for (const cancel of cancels) cancel()
    }
  }

  #add(host: string): void {
    this.#greeted.delete(host)
    this.#greeted.add(host)
    if (this.#greeted.size <= QUEUE_DESTINATIONS_KNOWN) return
    const [oldest] = this.#greeted
    if (oldest !== undefined) this.#greeted.delete(oldest)
  }
}
