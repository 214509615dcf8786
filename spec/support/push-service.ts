/**
 * A push service on loopback, over HTTPS. It records POSTs, and decrypts them as a client does (RFC 8291, implemented from the RFC,
 * independent of the server's code).
 */
import { createDecipheriv, createECDH, createHmac, type ECDH, randomBytes, verify } from 'node:crypto'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listenOnLoopback } from './loopback-server.ts'
import { tlsMaterial } from './tls-material.ts'

export interface ReceivedPush {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface PushService {
  readonly url: string
  /** PEM of the authority of its certificate. */
  readonly ca: string
  /** All received pushes, oldest first. */
  readonly received: readonly ReceivedPush[]
  /** The next push that was not returned yet. */
  next(): Promise<ReceivedPush>
  /** Statuses of the next responses, in order; then 201. */
  readonly answers: { status: number; headers?: Record<string, string> }[]
}

/** Stopped after the test. */
export async function startPushService(t: Pick<Test, 'teardown'>): Promise<PushService> {
  const { cert, key } = await tlsMaterial()
  const received: ReceivedPush[] = []
  const answers: PushService['answers'] = []
  const waiting: ((push: ReceivedPush) => void)[] = []
  let taken = 0
  const server = createServer({ cert, key }, async (request, response) => {
    const push = { path: request.url!, headers: request.headers, body: await buffer(request) }
    received.push(push)
    const { status, headers = {} } = answers.shift() ?? { status: 201 }
    response.writeHead(status, headers).end()
    const waiter = waiting.shift()
    if (waiter) {
      taken++
      waiter(push)
    }
  })
  const port = await listenOnLoopback(t, server)
  return {
    url: `https://localhost:${port}`,
    ca: cert,
    received,
    answers,
    next: () =>
      taken < received.length
        ? Promise.resolve(received[taken++]!)
        : new Promise<ReceivedPush>((resolve) => waiting.push(resolve)),
  }
}

/** The client's side of RFC 8291: keys and decryption. */
export class PushClient {
  readonly #ecdh: ECDH = createECDH('prime256v1')
  readonly #public = this.#ecdh.generateKeys()
  readonly #auth = randomBytes(16)

  /** As a PushSubscription has them. */
  get keys(): { p256dh: string; auth: string } {
    return { p256dh: this.#public.toString('base64url'), auth: this.#auth.toString('base64url') }
  }

  /** RFC 8188 2.1 and RFC 8291 3.4, one record. @throws if it was not encrypted for these keys */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
  open({ headers, body }: ReceivedPush): any {
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error('this is not encrypted')
    const salt = body.subarray(0, 16)
    const size = body.readUInt32BE(16)
    const idLength = body[20]!
    const sender = body.subarray(21, 21 + idLength)
    const record = body.subarray(21 + idLength)
    if (record.length > size) throw new Error('there is more than one record')
    const hmac = (key: Uint8Array, ...parts: (Uint8Array | string)[]) => {
      const mac = createHmac('sha256', key)
      for (const part of parts) mac.update(part)
      return mac.digest()
    }
    const ecdhSecret = this.#ecdh.computeSecret(sender)
    const prkKey = hmac(this.#auth, ecdhSecret)
    const ikm = hmac(prkKey, 'WebPush: info\0', this.#public, sender, '\x01')
    const prk = hmac(salt, ikm)
    const cek = hmac(prk, 'Content-Encoding: aes128gcm\0\x01').subarray(0, 16)
    const nonce = hmac(prk, 'Content-Encoding: nonce\0\x01').subarray(0, 12)
    const decipher = createDecipheriv('aes-128-gcm', cek, nonce)
    decipher.setAuthTag(record.subarray(-16))
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
    const end = padded.lastIndexOf(2)
    if (end < 0 || padded.subarray(end + 1).some((octet) => octet !== 0)) throw new Error('the last record ends in 2')
    return JSON.parse(padded.subarray(0, end).toString('utf8'))
  }
}

/** RFC 8292: the claims of a push's token. @throws if its signature is wrong */
export function readVapid({ headers }: ReceivedPush): { key: string; claims: Record<string, unknown> } {
  const match = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(String(headers['authorization']))
  if (!match) throw new Error('there is no vapid authorization')
  const [, head = '', claims = '', signature = '', key = ''] = match
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const isGood = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isGood) throw new Error('the signature is wrong')
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) }
}
