/** One question to one DNS server: over UDP, and over TCP when the answer is truncated. Failures are values. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import type { Clock } from '../../server/base/clock.ts'
import { DNS_UDP_BYTES } from '../../server/base/domain-limits.ts'
import { type DnsMessage, type DnsType, decodeMessage, encodeQuestion, TYPES } from './wire.ts'

export interface DnsServer {
  /** IP address. */
  readonly host: string
  readonly port: number
}

export interface QueryOptions {
  readonly server: DnsServer
  readonly name: string
  readonly type: DnsType
  readonly timeoutMs: number
  readonly clock: Clock
  /** Recursion desired (RD); default true. */
  readonly isRecursive?: boolean
}

/** null: no usable answer came in time. */
export async function queryServer(options: QueryOptions): Promise<DnsMessage | null> {
  const { name, type, isRecursive = true } = options
  const id = randomInt(0x10000)
  let question: Buffer
  try {
    question = encodeQuestion(id, name, type, DNS_UDP_BYTES, isRecursive)
  } catch {
    return null
  }
  const overUdp = await askOverUdp(options, question, id)
  return overUdp?.isTruncated ? askOverTcp(options, question, id) : overUdp
}

/** RFC 5452 9.1: null for every message that is not the answer to this question. */
function readAnswer(bytes: Buffer, { name, type }: QueryOptions, id: number): DnsMessage | null {
  try {
    const message = decodeMessage(bytes)
    const { question } = message
    const isOurs = question?.name === name.toLowerCase() && question.type === TYPES[type]
    return message.isAnswer && message.id === id && isOurs ? message : null
  } catch {
    return null
  }
}

function askOverUdp(options: QueryOptions, question: Buffer, id: number): Promise<DnsMessage | null> {
  const { server, timeoutMs, clock } = options
  const { promise, resolve } = Promise.withResolvers<DnsMessage | null>()
  // Each question has a socket of its own: the port is part of what an attacker has to guess.
  const socket = createSocket(isIPv6(server.host) ? 'udp6' : 'udp4')
  const cancel = clock.after(timeoutMs, () => resolve(null))
  socket.on('error', () => resolve(null))
  socket.on('message', (bytes) => {
    const message = readAnswer(bytes, options, id)
    if (message) resolve(message)
  })
  socket.on('connect', () => socket.send(question))
  socket.connect(server.port, server.host)
  return promise.finally(() => {
    cancel()
    socket.close()
  })
}

/** RFC 1035 4.2.2: two octets with the length precede each message. */
function askOverTcp(options: QueryOptions, question: Buffer, id: number): Promise<DnsMessage | null> {
  const { server, timeoutMs, clock } = options
  const { promise, resolve } = Promise.withResolvers<DnsMessage | null>()
  const socket = connect({ host: server.host, port: server.port })
  const cancel = clock.after(timeoutMs, () => resolve(null))
  let received = Buffer.alloc(0)
  socket.on('error', () => resolve(null))
  socket.on('close', () => resolve(null))
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    const length = received.length >= 2 ? received.readUInt16BE(0) : 0
    if (length > 0 && received.length >= length + 2) resolve(readAnswer(received.subarray(2, length + 2), options, id))
  })
  const prefix = Buffer.alloc(2)
  prefix.writeUInt16BE(question.length)
  socket.write(Buffer.concat([prefix, question]))
  return promise.finally(() => {
    cancel()
    socket.destroy()
  })
}
