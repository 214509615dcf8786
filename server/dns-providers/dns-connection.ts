/** One TCP connection to a name server: signed messages and their signed answers, one after another (RFC 8945, RFC 7766). */
import { randomInt } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { signMessage, type TsigKey, verifyMessage } from '../../mta/dns/tsig.ts'
import { type DnsMessage, decodeMessage } from '../../mta/dns/wire.ts'
import type { Clock } from '../base/clock.ts'
import { PROVIDER_REQUEST_MS, TSIG_FUDGE_SECONDS } from '../base/registration-limits.ts'
import { ProviderError, refusal } from '../egress/json-api.ts'

export interface DnsEndpoint {
  readonly host: string
  readonly port: number
  readonly key: TsigKey
  /** @param address an IP address */
  readonly mayConnect: (address: string) => boolean
  readonly clock: Clock
}

const CODES: { readonly [code: number]: string } = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  6: 'YXDOMAIN',
  7: 'YXRRSET',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
}

/** RFC 1035 4.2.2: of one message with its length, and of what arrives with its end. */
const ANSWER_MAX_BYTES = 2 * 65_537

export class DnsConnection {
  readonly #endpoint: DnsEndpoint
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #arrived: () => void = () => {}
  #failure: Error | null = null

  private constructor(endpoint: DnsEndpoint, socket: Socket) {
    this.#endpoint = endpoint
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      // It was asked one question: what goes on after the answer is none.
      if (this.#received.length > ANSWER_MAX_BYTES) this.#fail(new Error('the answer does not end'))
      this.#arrived()
    })
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  /** Uses a connection, and ends it. @throws ProviderError */
  static async use<T>(endpoint: DnsEndpoint, work: (connection: DnsConnection) => Promise<T>): Promise<T> {
    const address = await addressOf(endpoint)
    const socket = connect({ host: address, port: endpoint.port })
    const connection = new DnsConnection(endpoint, socket)
    const cancel = endpoint.clock.after(PROVIDER_REQUEST_MS, () => connection.#fail(new Error('no answer in time')))
    try {
      return await work(connection)
    } finally {
      cancel()
      socket.destroy()
    }
  }

  /** @param encode makes the message with its id. @throws ProviderError */
  async ask(encode: (id: number) => Buffer, allowed: readonly number[] = [0]): Promise<DnsMessage> {
    const { key, clock } = this.#endpoint
    const id = randomInt(0x10000)
    const signedAt = Math.floor(clock.now() / 1_000)
    const request = signMessage(encode(id), key, { signedAt, fudge: TSIG_FUDGE_SECONDS })
    const prefix = Buffer.alloc(2)
    prefix.writeUInt16BE(request.bytes.length)
    this.#socket.write(Buffer.concat([prefix, request.bytes]))
    const bytes = await this.#next()
    const message = decode(bytes)
    const verdict = verifyMessage(bytes, key, Math.floor(clock.now() / 1_000), request.mac)
    if (!message?.isAnswer || message.id !== id) throw unreached('an answer to another question')
    if (verdict.kind === 'invalid') throw refusedKey(message.rcode, verdict.error)
    if (allowed.includes(message.rcode)) return message
    throw refusedCode(message.rcode)
  }

  /** RFC 1035 4.2.2: two octets with the length precede each message. */
  async #next(): Promise<Buffer> {
    for (;;) {
      const length = this.#received.length >= 2 ? this.#received.readUInt16BE(0) : -1
      if (length >= 0 && this.#received.length >= length + 2) {
        const message = Buffer.from(this.#received.subarray(2, length + 2))
        this.#received = this.#received.subarray(length + 2)
        return message
      }
      if (this.#failure) throw unreached(this.#failure.message)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve
      })
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#socket.destroy()
    this.#arrived()
  }
}

/** The name is resolved here, so that the connection goes to the address that was judged (promise W3). */
async function addressOf({ host, mayConnect }: DnsEndpoint): Promise<string> {
  const found = isIP(host) !== 0 ? [host] : await resolved(host)
  const [first] = found
  if (first === undefined || !found.every(mayConnect)) throw refusal('the name server is not on the public Internet')
  return first
}

async function resolved(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    throw unreached('its name has no address')
  }
}

function decode(bytes: Buffer): DnsMessage | null {
  try {
    return decodeMessage(bytes)
  } catch {
    return null
  }
}

function unreached(why: string): ProviderError {
  return new ProviderError({
    kind: 'unreachable',
    reason: `the name server was not reached (${why})`,
    retryAfter: null,
  })
}

function refusedKey(rcode: number, error: number | null): ProviderError {
  const words = error === null ? 'its answer is not signed' : `the TSIG key is not accepted (error ${error})`
  return refusal(`the name server answered ${CODES[rcode] ?? rcode}, and ${words}`)
}

function refusedCode(rcode: number): ProviderError {
  const reason = `the name server answered ${CODES[rcode] ?? rcode}`
  return rcode === 2 ? new ProviderError({ kind: 'unreachable', reason, retryAfter: null }) : refusal(reason)
}
