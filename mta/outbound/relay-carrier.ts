/** All mail to one server that sends it on: a provider's relay, or a smart host. */
import { isIP } from 'node:net'
import { Failure } from '../../server/base/errors.ts'
import { type Carrier, isTlsRequired } from './carrier.ts'
import type { Target } from './open-peer.ts'
import { carryTo, type TransportOptions } from './transport.ts'

export interface RelayOptions {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the first octet. */
  readonly url: string
  /** Whether the relay's certificate has to be valid; default true. */
  readonly verifyTls?: boolean
}

export function createRelayCarrier(relay: RelayOptions, transport: TransportOptions): Carrier {
  const target = relayTarget(relay)
  return {
    carry: (mail, signal) => carryTo([isTlsRequired(mail) ? protectedTarget(target) : target], mail, signal, transport),
    async close() {
      transport.pool.close()
    },
  }
}

/** RFC 8689 4.1 */
export function protectedTarget(target: Target): Target {
  return { ...target, tls: target.tls === 'implicit' ? 'implicit' : 'required', verify: true }
}

/** @throws Failure `configuration` for what is no such URL; its words never repeat the password. */
export function relayTarget({ url, verifyTls = true }: RelayOptions): Target {
  const parsed = URL.parse(url)
  if (!parsed || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new Failure('configuration', 'the relay has to be smtp://[user:password@]host[:port] or smtps://...')
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, '')
  const user = decode(parsed.username)
  const pass = decode(parsed.password)
  if (user === null || pass === null || (user === '') !== (pass === '')) {
    throw new Failure('configuration', 'the relay needs user and password together, percent-encoded in its URL')
  }
  const login = user === '' ? null : { user, pass }
  const implicit = parsed.protocol === 'smtps:'
  const port = parsed.port === '' ? (implicit ? 465 : login ? 587 : 25) : Number(parsed.port)
  const local = host === 'localhost' || (isIP(host) !== 0 && /^(?:127\.|::1$)/.test(host))
  // A password goes over TLS with a known peer, but on this very machine.
  const tls = implicit ? 'implicit' : login && !local ? 'required' : 'opportunistic'
  return { name: host, ip: host, port, tls, verify: verifyTls && tls !== 'opportunistic', login }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
