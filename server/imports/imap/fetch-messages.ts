/** The octets of a few messages, by one command. */
import type { ImapFlow } from 'imapflow'
import type { Clock } from '../../base/clock.ts'
import { IMAP_COMMAND_MS, IMAP_GROUP_BYTES, IMAP_SLOWEST_BYTES_PER_SECOND } from '../../base/imap-limits.ts'
import { bounded } from './deadline.ts'
import { isRefused, refusal } from './faults.ts'
import type { FetchedMessage, MessageRequest } from './session-port.ts'

interface Options {
  readonly clock: Clock
  /** Larger messages are not kept. */
  readonly maxOctets: number
}

/** Octets beside those of messages: flags, names of items. */
const FRAME_BYTES = 1_048_576

/**
 * @returns one for each request, in its order
 * @throws an error with the code `TooMuch` if the server sends far more than it said, `Refused` if it refuses the command, and errors of
 * the connection
 */
export async function fetchMessages(
  client: ImapFlow,
  requests: readonly MessageRequest[],
  { clock, maxOctets }: Options,
): Promise<FetchedMessage[]> {
  const wanted = new Set(requests.map(({ uid }) => uid))
  const announced = requests.reduce((sum, { octets }) => sum + octets, 0)
  // Sizes of some servers are a little wrong, such as with LF line ends counted once.
  const allowed = requests.length > 1 ? announced * 2 + IMAP_GROUP_BYTES : maxOctets
  const found = new Map<number, FetchedMessage>()
  const expected = Math.max(announced, allowed)
  const ms = IMAP_COMMAND_MS + (expected / IMAP_SLOWEST_BYTES_PER_SECOND) * 1_000
  await bounded(client, { clock, ms, maxOctets: expected * 2 + FRAME_BYTES }, async () => {
    let octets = 0
    try {
      const range = requests.map(({ uid }) => uid).join(',')
      for await (const { uid, source } of client.fetch(range, { uid: true, source: true }, { uid: true })) {
        octets += source?.length ?? 0
        if (octets > allowed) throw Object.assign(new Error('larger than announced'), { code: 'TooMuch' })
        if (!wanted.has(uid) || found.has(uid)) continue
        found.set(uid, messageOf(uid, source, maxOctets))
      }
    } catch (error) {
      throw isRefused(error, clock.now()) ? refusal() : error
    }
  })
  return requests.map(({ uid }) => found.get(uid) ?? { uid, reason: 'vanished' })
}

/** @param source undefined: NIL */
function messageOf(uid: number, source: Buffer | undefined, maxOctets: number): FetchedMessage {
  if (!source) return { uid, reason: 'source_refused' }
  return source.length > maxOctets ? { uid, reason: 'too_large' } : { uid, raw: source }
}
