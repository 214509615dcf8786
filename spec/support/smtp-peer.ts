/** Another mail server, on a loopback address: it answers as told and records every octet. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { tlsMaterial } from './tls-material.ts'

export interface PeerMessage {
  /** MAIL and RCPT lines as received. */
  readonly mail: string
  readonly rcpt: readonly string[]
  /** Octets after DATA, with stuffed dots, up to and without the final `.` line. */
  readonly data: Buffer
  readonly secure: boolean
  readonly connection: number
}

export interface PeerOptions {
  readonly host?: string
  readonly port?: number
  readonly extensions?: readonly string[]
  /** '': none. */
  readonly greeting?: string
  /** Reply to a command line, where `.` is the end of a message; null: the usual one; '': none; `close`: none, and the connection ends. */
  readonly reply?: (line: string, connection: number) => string | null
  /** Replies are octets, each a character of Latin-1; by default text in UTF-8. */
  readonly octets?: boolean
  /** STARTTLS works; `broken`: it is offered, and the handshake fails. */
  readonly tls?: boolean | 'broken'
}

export interface Peer {
  readonly port: number
  readonly host: string
  readonly messages: PeerMessage[]
  readonly lines: string[]
  connections: number
}

const USUAL = ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'DSN', 'SIZE 1000000']

export async function startPeer(t: Pick<Test, 'teardown'>, options: PeerOptions = {}): Promise<Peer> {
  const { host = '127.0.0.1', port = 0, tls = false } = options
  const material = tls ? await tlsMaterial() : null
  const peer: Peer = { port: 0, host, messages: [], lines: [], connections: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    peer.connections++
    serve(socket, peer, options, material)
  })
  server.listen(port, host)
  await once(server, 'listening')
  t.teardown(async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return Object.assign(peer, { port: (server.address() as AddressInfo).port })
}

function serve(plain: Socket, peer: Peer, options: PeerOptions, material: { key: string; cert: string } | null): void {
  const connection = peer.connections
  let socket = plain
  let secure = false
  let pending = Buffer.alloc(0)
  let inData = false
  let mail = ''
  let rcpt: string[] = []

  const say = (text: string) => {
    if (text === 'close') socket.destroy()
    else if (text !== '') socket.write(`${text.replace(/\n/g, '\r\n')}\r\n`, options.octets ? 'latin1' : 'utf8')
  }
  const usual = (line: string): string => {
    const verb = line.slice(0, 4).toUpperCase()
    const extensions = [...(options.extensions ?? USUAL), ...(material && !secure ? ['STARTTLS'] : [])]
    if (verb === 'EHLO')
      return ['peer.test', ...extensions].map((text, i) => `250${i < extensions.length ? '-' : ' '}${text}`).join('\n')
    if (verb === 'DATA') return rcpt.length > 0 ? '354 go on' : '554 5.5.1 no recipients'
    if (verb === 'QUIT') return '221 2.0.0 bye'
    if (verb === 'STAR') return '220 2.0.0 go on'
    if (verb === 'AUTH') return '235 2.7.0 ok'
    return '250 2.0.0 ok'
  }
  const command = (line: string) => {
    peer.lines.push(line)
    const reply = options.reply?.(line, connection) ?? usual(line)
    const good = /^[23]/.test(reply)
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'MAIL' && good) [mail, rcpt] = [line, []]
    if (verb === 'RCPT' && good) rcpt.push(line)
    if (verb === 'DATA' && reply.startsWith('354')) inData = true
    say(reply)
    if (verb === 'STAR' && good && material) upgrade(material)
    if (verb === 'QUIT') socket.end()
  }
  const upgrade = (tls: { key: string; cert: string }) => {
    socket.removeAllListeners('data')
    pending = Buffer.alloc(0)
    if (options.tls === 'broken') {
      plain.once('data', () => plain.end('this is no TLS\r\n'))
      return
    }
    secure = true
    socket = new TLSSocket(plain, { isServer: true, ...tls })
    socket.on('error', () => {})
    listen()
  }
  const take = () => {
    for (;;) {
      if (inData) {
        const end = pending.subarray(0, 3).equals(Buffer.from('.\r\n')) ? -2 : pending.indexOf('\r\n.\r\n')
        if (end === -1) return
        const data = Buffer.from(pending.subarray(0, Math.max(0, end + 2)))
        pending = pending.subarray(end + 5)
        inData = false
        const reply = options.reply?.('.', connection) ?? '250 2.0.0 taken'
        if (reply.startsWith('250')) peer.messages.push({ mail, rcpt, data, secure, connection })
        rcpt = []
        say(reply)
        continue
      }
      const end = pending.indexOf('\r\n')
      if (end < 0) return
      const line = pending.toString('utf8', 0, end)
      pending = pending.subarray(end + 2)
      command(line)
    }
  }
  const listen = () => {
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      take()
    })
  }
  listen()
  say(options.greeting ?? '220 peer.test ESMTP')
}
