/** Sends all messages to one server that relays them: a provider's relay, or a smart host. */
import { isIP } from 'node:net'
import { Failure } from '../../server/base/errors.ts'
import { type NextHopOptions, sendToNextHop } from './next-hop.ts'
import type { Target } from './open-peer.ts'
import { isTlsRequired, type Transport } from './transport.ts'

export interface RelayOptions {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the first octet. */
  readonly url: string
  /** Whether the relay's certificate has to be valid; default true. */
  readonly verifyTls?: boolean
}

export function createRelayTransport(relay: RelayOptions, nextHop: NextHopOptions): Transport {
  const target = relayTarget(relay)
  return {
    send: (message, signal) =>
      sendToNextHop([isTlsRequired(message) ? verifiedTarget(target) : target], message, signal, nextHop),
    async close() {
      nextHop.pool.close()
    },
  }
}

/** The target with verified TLS (RFC 8689 4.1). */
export function verifiedTarget(target: Target): Target {
  return { ...target, tls: target.tls === 'implicit' ? 'implicit' : 'required', verify: true }
}

/** @throws Failure `configuration` for an invalid URL; its text never has the password. */
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
  const isImplicit = parsed.protocol === 'smtps:'
  const port = parsed.port === '' ? (isImplicit ? 465 : login ? 587 : 25) : Number(parsed.port)
  const isLocal = host === 'localhost' || (isIP(host) !== 0 && /^(?:127\.|::1$)/.test(host))
  // A password is sent over verified TLS only, except to this machine.
  const tls = isImplicit ? 'implicit' : login && !isLocal ? 'required' : 'opportunistic'
  return { name: host, ip: host, port, tls, verify: verifyTls && tls !== 'opportunistic', login }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
