/** Reads what a balancer says at the start of a connection, and leaves the rest of the octets for whoever reads next. */
import type { Socket } from 'node:net'
import type { Clock } from '../../server/base/clock.ts'
import { PROXY_HEADER_MS } from '../../server/base/inbound-limits.ts'
import { type ProxySource, readProxyHeader } from './proxy-header.ts'

/** null: it names no client. Rejects, and the socket is gone, when there is no such header in time. */
export function receiveProxyHeader(socket: Socket, clock: Clock): Promise<ProxySource | null> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxySource | null>()
  let received: Buffer = Buffer.alloc(0)
  const fail = (reason: string) => {
    // An error of a socket that is being closed is nobody's concern.
    socket.on('error', () => {})
    socket.destroy()
    reject(new Error(reason))
  }
  const read = () => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      received = Buffer.concat([received, chunk])
      const header = readProxyHeader(received)
      if (header.status === 'malformed') return fail('what it said is no PROXY header')
      if (header.status === 'incomplete') continue
      finish()
      if (received.length > header.length) socket.unshift(received.subarray(header.length))
      return resolve(header.source)
    }
  }
  const gone = () => fail('the connection ended before the header')
  const cancel = clock.after(PROXY_HEADER_MS, () => fail('the header did not come in time'))
  const finish = () => {
    cancel()
    for (const event of ['end', 'close', 'error']) socket.removeListener(event, gone)
    socket.removeListener('readable', read)
  }
  for (const event of ['end', 'close', 'error']) socket.on(event, gone)
  socket.on('readable', read)
  return promise.catch((error: Error) => {
    finish()
    throw error
  })
}

/** An IPv4 address that came over an IPv6 socket, as IPv4. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
