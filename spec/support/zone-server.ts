/**
 * A DNS server on a free loopback port that is resolver and authority at once, depending on the query: without RD it returns the
 * content of its zones with delegations, and nothing of other zones; with RD it follows aliases. Zones may change while it runs.
 */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Test } from 'tap'

/** Record sets by `name TYPE`, in presentation form: `{ 'acme.org MX': ['10 mx.acme.org'] }`. Names without a dot at the end. */
export type Records = { [nameAndType: string]: readonly string[] }

export interface ZoneServer {
  readonly port: number
  readonly records: Records
  /** `name TYPE`, with `+` before those with recursion desired. */
  readonly questions: string[]
  /** What an authority answers instead of its data; 'silent' does not respond. */
  trouble: 'servfail' | 'silent' | 'lame' | null
}

const CODES: { [type: string]: number } = {
  A: 1,
  NS: 2,
  CNAME: 5,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  TLSA: 52,
  CAA: 257,
}
const TYPES = new Map(Object.entries(CODES).map(([type, code]) => [code, type]))

/** @param zones names that this server is authoritative for; the NS sets of names below them are delegations */
export async function startZoneServer(
  t: Pick<Test, 'teardown'>,
  zones: Iterable<string>,
  records: Records,
): Promise<ZoneServer> {
  const server = { port: 0, records, questions: [] as string[], trouble: null as ZoneServer['trouble'] }
  const reply = (query: Buffer, maxBytes: number) => answer(server, zones, query, maxBytes)
  const { tcp, udp } = await listen()
  server.port = udp.address().port
  udp.on('message', (query, from) => {
    const bytes = reply(query, 512)
    if (bytes) udp.send(bytes, from.port, from.address)
  })
  tcp.on('connection', (connection) => {
    connection.on('error', () => {})
    connection.once('data', (query) => {
      const bytes = reply(query.subarray(2), 65_535)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes?.length ?? 0)
      connection.end(Buffer.concat([length, bytes ?? Buffer.alloc(0)]))
    })
  })
  t.teardown(async () => {
    await new Promise<void>((resolve) => udp.close(() => resolve()))
    await new Promise<void>((resolve) => tcp.close(() => resolve()))
  })
  return server
}

const PORTS_TRIED = 50

/** A port that is free for both TCP and UDP. */
async function listen(): Promise<{ tcp: Server; udp: Socket }> {
  for (let i = 0; i < PORTS_TRIED; i++) {
    const tcp = createServer().listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    const udp = createSocket('udp4')
    try {
      udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1')
      await once(udp, 'listening')
      return { tcp, udp }
    } catch {
      tcp.close()
      udp.close()
    }
  }
  throw new Error('no port is free for both TCP and UDP')
}

function answer(server: ZoneServer, zones: Iterable<string>, query: Buffer, maxBytes: number): Buffer | null {
  const { name, code, end } = readQuestion(query)
  const type = TYPES.get(code) ?? String(code)
  const isRecursive = (query.readUInt16BE(2) & 0x0100) !== 0
  server.questions.push(`${isRecursive ? '+' : ''}${name} ${type}`)
  if (!isRecursive && server.trouble === 'silent') return null
  const told = isRecursive ? recursive(server.records, name, type) : authoritative(server, zones, name, type)
  const message = (answers: Buffer[], authority: Buffer[], truncated: boolean) => {
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    const flags = 0x8000 | (told.isAuthoritative ? 0x0400 : 0) | (isRecursive ? 0x0180 : 0) | (truncated ? 0x0200 : 0)
    header.writeUInt16BE(flags | told.rcode, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    header.writeUInt16BE(authority.length, 8)
    return Buffer.concat([header, query.subarray(12, end), ...answers, ...authority])
  }
  const whole = message(told.answers, told.authority, false)
  return whole.length <= maxBytes ? whole : message([], [], true)
}

interface Told {
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly answers: Buffer[]
  readonly authority: Buffer[]
}

function authoritative(server: ZoneServer, zones: Iterable<string>, name: string, type: string): Told {
  const { records, trouble } = server
  const nothing = { isAuthoritative: false, answers: [], authority: [] }
  if (trouble === 'servfail') return { ...nothing, rcode: 2 }
  if (trouble === 'lame') return { ...nothing, rcode: 0 }
  const zone = [...zones].filter((one) => isWithin(name, one)).sort((a, b) => b.length - a.length)[0]
  if (zone === undefined) return { ...nothing, rcode: 5 }
  const cut = suffixesOf(name).find((one) => one !== zone && isWithin(one, zone) && records[`${one} NS`])
  if (cut !== undefined) return { ...nothing, rcode: 0, authority: setOf(records, cut, 'NS') }
  const alias = type === 'CNAME' ? [] : setOf(records, name, 'CNAME')
  const target = records[`${name} CNAME`]?.[0]
  const onward = alias.length > 0 && isWithin(target!, zone) ? setOf(records, target!, type) : []
  const answers = [...alias, ...(alias.length > 0 ? onward : setOf(records, name, type))]
  return { rcode: exists(records, name) ? 0 : 3, isAuthoritative: true, answers, authority: [] }
}

function recursive(records: Records, name: string, type: string): Told {
  const target = type === 'CNAME' || type === 'NS' ? undefined : records[`${name} CNAME`]?.[0]
  const answers = target
    ? [...setOf(records, name, 'CNAME'), ...setOf(records, target, type)]
    : setOf(records, name, type)
  return { rcode: exists(records, name) ? 0 : 3, isAuthoritative: false, answers, authority: [] }
}

function exists(records: Records, name: string): boolean {
  return Object.keys(records).some((key) => isWithin(key.slice(0, key.indexOf(' ')), name))
}

function suffixesOf(name: string): string[] {
  const labels = name.split('.')
  return labels.map((_, i) => labels.slice(i).join('.'))
}

function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`)
}

function setOf(records: Records, name: string, type: string): Buffer[] {
  return (records[`${name} ${type}`] ?? []).map((text) => {
    const data = encode(type, text)
    const head = Buffer.alloc(10)
    head.writeUInt16BE(CODES[type]!, 0)
    head.writeUInt16BE(1, 2)
    head.writeUInt32BE(60, 4)
    head.writeUInt16BE(data.length, 8)
    return Buffer.concat([encodeName(name), head, data])
  })
}

function encode(type: string, text: string): Buffer {
  const words = text.split(' ')
  switch (type) {
    case 'A':
      return Buffer.from(text.split('.').map(Number))
    case 'NS':
    case 'CNAME':
      return encodeName(text)
    case 'MX':
      return Buffer.concat([numbers(words[0]!), encodeName(words[1]!)])
    case 'SRV':
      return Buffer.concat([numbers(words[0]!, words[1]!, words[2]!), encodeName(words[3]!)])
    case 'TXT': {
      const pieces = text.match(/.{1,255}/g) ?? ['']
      return Buffer.concat(pieces.flatMap((piece) => [Buffer.from([piece.length]), Buffer.from(piece)]))
    }
    case 'TLSA':
      return Buffer.concat([Buffer.from(words.slice(0, 3).map(Number)), Buffer.from(words[3]!, 'hex')])
    case 'CAA': {
      const value = /"(.*)"/.exec(text)![1]!
      return Buffer.concat([Buffer.from([Number(words[0]), words[1]!.length]), Buffer.from(words[1]! + value)])
    }
    default:
      return Buffer.from(text, 'hex')
  }
}

function numbers(...words: string[]): Buffer {
  const bytes = Buffer.alloc(words.length * 2)
  for (const [i, word] of words.entries()) bytes.writeUInt16BE(Number(word), i * 2)
  return bytes
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  const encoded = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)])
  return Buffer.concat([...encoded, Buffer.alloc(1)])
}

function readQuestion(query: Buffer): { name: string; code: number; end: number } {
  const labels: string[] = []
  let at = 12
  while (query[at] !== 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
    at += query[at]! + 1
  }
  return { name: labels.join('.').toLowerCase(), code: query.readUInt16BE(at + 1), end: at + 5 }
}
