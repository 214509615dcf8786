/** Opens a connection to a mail host: implicit TLS, required or opportunistic STARTTLS, and a login. */
import { isIP } from 'node:net'
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { OUTBOUND_READY_MS, OUTBOUND_SOCKET_MS } from '../../server/base/outbound-limits.ts'
import { matchesDane, type TlsaRecord } from './dane.ts'
import { PeerConnection } from './peer-connection.ts'
import type { PeerHistory } from './peer-history.ts'

/** A host and the requirements for the connection to it. */
export interface Target {
  readonly name: string
  readonly ip: string
  readonly port: number
  /** `opportunistic`: STARTTLS if offered, unverified, and in clear text if it fails (RFC 7435). */
  readonly tls: 'opportunistic' | 'required' | 'implicit'
  readonly verify: boolean
  /** TLSA records that its certificate has to match, instead of the authorities (RFC 7672). */
  readonly dane?: readonly TlsaRecord[]
  readonly login: { readonly user: string; readonly pass: string } | null
}

export interface OpenPeerOptions {
  readonly hostname: string
  readonly peers: PeerHistory
  /** Made before at the message. */
  readonly attempts: number
}

/** Rejects with a PeerError. */
export async function openPeer(target: Target, options: OpenPeerOptions, signal: AbortSignal): Promise<PeerConnection> {
  const attempt = async (changes: SMTPConnectionOptions) => {
    const connection = new PeerConnection({ ...connectionOptions(target, options.hostname), ...changes })
    const abort = () => connection.abort()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await options.peers.open(target, connection, options.attempts)
      if (target.tls === 'required') requireTls(connection, target)
      if (target.dane) requireDane(connection, target, target.dane)
      if (target.login) await connection.logIn(target.login.user, target.login.pass)
      return connection
    } catch (error) {
      const handshake = connection.upgrading === true
      connection.close()
      throw Object.assign(error as Error, { handshake })
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
  try {
    return await attempt({})
  } catch (error) {
    // RFC 7435 3: without TLS the message is delivered in clear text.
    if (target.tls !== 'opportunistic' || !(error as { handshake?: boolean }).handshake || signal.aborted) throw error
    return await attempt({ ignoreTLS: true })
  }
}

/** The library's option would send STARTTLS to a host that does not offer it, and wait. @throws PeerError without TLS */
function requireTls(connection: PeerConnection, { name }: Target): void {
  if (connection.secure) return
  throw Object.assign(new Error(`${name} offers no TLS, which mail to it has to have`), { code: 'ETLS' })
}

/** @throws PeerError when no TLSA record matches the certificate */
function requireDane(connection: PeerConnection, { name }: Target, dane: readonly TlsaRecord[]): void {
  if (matchesDane(dane, connection.certificates(), [name], Date.now())) return
  throw Object.assign(new Error(`the certificate of ${name} is not what its TLSA records say`), { code: 'EDANE' })
}

function connectionOptions({ name, ip, port, tls, verify }: Target, hostname: string): SMTPConnectionOptions {
  return {
    host: ip,
    port,
    name: hostname,
    ...(isIP(name) === 0 && !name.startsWith('[') && { servername: name }),
    secure: tls === 'implicit',
    ...(tls === 'opportunistic' && { opportunisticTLS: true }),
    tls: { rejectUnauthorized: verify },
    // The upper bound of both. peer-history.ts sets the timeout of each connection.
    connectionTimeout: OUTBOUND_READY_MS,
    greetingTimeout: OUTBOUND_READY_MS,
    socketTimeout: OUTBOUND_SOCKET_MS,
    logger: false,
  }
}
