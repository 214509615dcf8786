/** A DNS server on a free loopback port: answers from a table, over UDP, and over TCP if truncated there. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6, type Server } from 'node:net'
import type { Test } from 'tap'

export interface Zone {
  readonly mx?: readonly [preference: number, exchange: string][]
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
  readonly txt?: readonly string[][]
  /** A target of '' is the root. */
  readonly srv?: readonly (readonly [priority: number, weight: number, port: number, target: string])[]
  readonly ptr?: readonly string[]
  readonly tlsa?: readonly (readonly [usage: number, selector: number, matching: number, data: Buffer])[]
  /** The resolver reports DNSSEC validation. */
  readonly authentic?: true
  /** The name is an alias of this one; its records follow. */
  readonly cname?: string
  /** Seconds; default 60. */
  readonly ttl?: number
  /** Seconds for which an absence is cached, in an SOA; without it there is none. */
  readonly negativeTtl?: number
  /** Over UDP only the head of the answer is sent. */
  readonly truncated?: true
  readonly rcode?: 'servfail' | 'refused' | 'silent'
}

const TYPES: { [code: number]: 'a' | 'aaaa' | 'mx' | 'txt' | 'ptr' | 'srv' | 'tlsa' } = {
  33: 'srv',
  52: 'tlsa',
  1: 'a',
  28: 'aaaa',
  15: 'mx',
  16: 'txt',
  12: 'ptr',
}
const RCODES = { servfail: 2, refused: 5 }

/** @param zones names in lower case to their records; other names do not exist. @param port 0: a free one. @returns `address:port` */
export async function startDnsServer(
  t: Pick<Test, 'teardown'>,
  zones: { [name: string]: Zone },
  port = 0,
): Promise<{ server: string; questions: string[] }> {
  const questions: string[] = []
  const { socket, tcp } = await samePort(createServer(), port)
  socket.on('message', (query, from) => {
    const reply = answerTo(query, zones, questions, true)
    if (reply) socket.send(reply, from.port, from.address)
  })
  tcp.on('connection', (connection) => {
    connection.on('error', () => {})
    connection.once('data', (query) => {
      const reply = answerTo(query.subarray(2), zones, questions, false)
      if (!reply) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      connection.end(Buffer.concat([length, reply]))
    })
  })
  t.teardown(async () => {
    await new Promise<void>((resolve) => socket.close(() => resolve()))
    await new Promise<void>((resolve) => tcp.close(() => resolve()))
  })
  return { server: `127.0.0.1:${socket.address().port}`, questions }
}

/** A port that is free for TCP may be in use for UDP: then another one is tried. */
async function samePort(tcp: Server, port: number): Promise<{ socket: Socket; tcp: Server }> {
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  const socket = createSocket('udp4')
  socket.bind((tcp.address() as AddressInfo).port, '127.0.0.1')
  try {
    await once(socket, 'listening')
    return { socket, tcp }
  } catch (error) {
    socket.close()
    tcp.close()
    if (port !== 0) throw error
    return samePort(createServer(), port)
  }
}

/** null: the server does not respond. */
function answerTo(
  query: Buffer,
  zones: { [name: string]: Zone },
  questions: string[],
  overUdp: boolean,
): Buffer | null {
  const { name, type, end } = readQuestion(query)
  questions.push(`${name} ${TYPES[type] ?? type}`)
  const zone = zones[name]
  if (zone?.rcode === 'silent') return null
  const truncated = overUdp && zone?.truncated === true
  const failure = zone?.rcode ? RCODES[zone.rcode] : zone ? 0 : 3
  const answers = failure === 0 && !truncated ? recordsOf(zone!, zones, type, Buffer.from([0xc0, 0x0c])) : []
  const authority = answers.length === 0 && zone?.negativeTtl !== undefined ? [soa(zone.negativeTtl)] : []
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (zone?.authentic ? 0x20 : 0) | (truncated ? 0x0200 : 0) | failure, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers.length, 6)
  header.writeUInt16BE(authority.length, 8)
  return Buffer.concat([header, query.subarray(12, end), ...answers, ...authority])
}

function recordsOf(zone: Zone, zones: { [name: string]: Zone }, type: number, owner: Buffer): Buffer[] {
  const kind = TYPES[type]
  if (!kind) return []
  if (zone.cname !== undefined) {
    const target = zones[zone.cname]
    const alias = answer(owner, 5, zone.ttl, encodeName(zone.cname))
    return [alias, ...(target ? recordsOf(target, zones, type, encodeName(zone.cname)) : [])]
  }
  return (zone[kind] ?? []).map((record) => {
    const data =
      kind === 'ptr'
        ? encodeName(record as string)
        : kind === 'tlsa'
          ? Buffer.concat([Buffer.from((record as number[]).slice(0, 3)), (record as unknown as [0, 0, 0, Buffer])[3]])
          : kind === 'srv'
            ? encodeSrv(record as NonNullable<Zone['srv']>[number])
            : encode(record as string)
    return answer(owner, type, zone.ttl, data)
  })
}

function soa(minimum: number): Buffer {
  const numbers = Buffer.alloc(20)
  numbers.writeUInt32BE(minimum, 16)
  return answer(Buffer.alloc(1), 6, minimum, Buffer.concat([Buffer.alloc(2), numbers]))
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  while (query[at] !== 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
    at += query[at]! + 1
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answer(owner: Buffer, type: number, ttl: number | undefined, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(ttl ?? 60, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, head, data])
}

function encode(record: string | readonly string[] | readonly [number, string]): Buffer {
  if (typeof record === 'string') return isIPv6(record) ? ipv6(record) : Buffer.from(record.split('.').map(Number))
  if (typeof record[0] === 'number') {
    const preference = Buffer.alloc(2)
    preference.writeUInt16BE(record[0])
    return Buffer.concat([preference, encodeName(record[1] as string)])
  }
  return Buffer.concat(
    (record as string[]).map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])),
  )
}

/** RFC 2782 */
function encodeSrv([priority, weight, port, target]: NonNullable<Zone['srv']>[number]): Buffer {
  const numbers = Buffer.alloc(6)
  for (const [i, number] of [priority, weight, port].entries()) numbers.writeUInt16BE(number, i * 2)
  return Buffer.concat([numbers, encodeName(target)])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.alloc(1),
  ])
}

function ipv6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [groups(head), groups(tail)]
  const bytes = Buffer.alloc(16)
  for (const [i, group] of before.entries()) bytes.writeUInt16BE(group, i * 2)
  for (const [i, group] of after.entries()) bytes.writeUInt16BE(group, 16 - (after.length - i) * 2)
  return bytes
}
