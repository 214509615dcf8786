/** Reads the PROXY header at the start of a connection, and leaves the octets after it in the socket. */
import type { Socket } from 'node:net'
import type { Clock } from '../../server/base/clock.ts'
import { PROXY_HEADER_MS } from '../../server/base/inbound-limits.ts'
import { type ProxySource, readProxyHeader } from './proxy-header.ts'

/** null: the header names no client. Rejects, and destroys the socket, when no valid header comes in time. */
export function receiveProxyHeader(socket: Socket, clock: Clock): Promise<ProxySource | null> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxySource | null>()
  let received: Buffer = Buffer.alloc(0)
  const fail = (reason: string) => {
    // Errors of a socket that is being closed are ignored.
    socket.on('error', () => {})
    socket.destroy()
    reject(new Error(reason))
  }
  const read = () => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      received = Buffer.concat([received, chunk])
      const header = readProxyHeader(received)
      if (header.status === 'malformed') return fail('it is no PROXY header')
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

/** The IPv4 address of an IPv4-mapped IPv6 address; other addresses as they are. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
