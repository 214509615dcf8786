/** Ends what a server draws out. */
import type { ImapFlow } from 'imapflow'
import type { Clock } from '../../base/clock.ts'
import { SourceError } from '../import-source.ts'

/** Why connections ended, where the library reports it by an event: its commands then only say that the connection is gone. */
const reasons = new WeakMap<ImapFlow, unknown>()

/** Without a listener an error of a connection would end the thread. */
export function listenForErrors(client: ImapFlow): void {
  client.on('error', (error: unknown) => reasons.set(client, error))
}

export interface Bounds {
  readonly clock: Clock
  /** Milliseconds from the beginning to the end. */
  readonly ms: number
  /** Octets that the server may send meanwhile. */
  readonly maxOctets: number
}

const LOOK_MS = 1_000

/**
 * Runs commands on a connection and ends the connection when they take too long or the server sends too much: a list without an end, or
 * an octet each minute. What waits on the connection then fails.
 * @throws SourceError `cut` and `unusable`, and what `run` throws
 */
export async function bounded<T>(
  client: ImapFlow,
  { clock, ms, maxOctets }: Bounds,
  run: () => Promise<T>,
): Promise<T> {
  const until = clock.now() + ms
  const limit = client.stats().received + maxOctets
  let fault: SourceError | null = null
  const look = () => {
    if (client.stats().received > limit) fault = new SourceError('unusable', 'The server sends answers without an end.')
    else if (clock.now() >= until) fault = new SourceError('cut', 'The server is too slow.')
    if (fault) client.close()
    else cancel = clock.after(LOOK_MS, look)
  }
  let cancel = clock.after(LOOK_MS, look)
  try {
    return await run()
  } catch (error) {
    throw fault ?? reasons.get(client) ?? error
  } finally {
    cancel()
  }
}
