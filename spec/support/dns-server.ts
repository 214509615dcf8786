/** A DNS server on a free loopback port: answers from a table, over UDP. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Test } from 'tap'

export interface Zone {
  readonly mx?: readonly [preference: number, exchange: string][]
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
  readonly txt?: readonly string[][]
  readonly rcode?: 'servfail' | 'refused' | 'silent'
}

const TYPES: { [code: number]: 'a' | 'aaaa' | 'mx' | 'txt' } = { 1: 'a', 28: 'aaaa', 15: 'mx', 16: 'txt' }
const RCODES = { servfail: 2, refused: 5 }

/** @param zones names in lower case to their records; names that are not there do not exist. @returns `address:port` */
export async function startDnsServer(
  t: Test,
  zones: { [name: string]: Zone },
): Promise<{ server: string; questions: string[] }> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    questions.push(`${name} ${TYPES[type] ?? type}`)
    const zone = zones[name]
    if (zone?.rcode === 'silent') return
    const question = query.subarray(12, end)
    const failure = zone?.rcode ? RCODES[zone.rcode] : zone ? 0 : 3
    const kind = TYPES[type]
    const answers = failure === 0 && kind ? (zone?.[kind] ?? []).map((record) => answer(type, encode(record))) : []
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | failure, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    socket.send(Buffer.concat([header, question, ...answers]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  return { server: `127.0.0.1:${socket.address().port}`, questions }
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

function answer(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
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
