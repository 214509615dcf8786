/** A client of JMAP over WebSocket, for tests: messages one after the other. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Test } from 'tap'
import { WebSocket } from 'ws'

export interface JmapSocket {
  readonly socket: WebSocket
  send(message: unknown): void
  /** The next message; null: the connection has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
  next(): Promise<any>
  /** Code of the Close frame. */
  readonly closed: Promise<number>
}

/** An open connection, closed after the test. */
export async function openSocket(
  t: Pick<Test, 'teardown'>,
  url: string,
  headers: Record<string, string>,
): Promise<JmapSocket> {
  const socket = new WebSocket(url, ['jmap'], { headers })
  t.teardown(() => socket.terminate())
  const messages: unknown[] = []
  const waiting: ((message: unknown) => void)[] = []
  const take = (message: unknown) => {
    const waiter = waiting.shift()
    if (waiter) waiter(message)
    else messages.push(message)
  }
  socket.on('message', (data) => take(JSON.parse(String(data))))
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(([code]) => {
    for (const waiter of waiting.splice(0)) waiter(null)
    messages.push(null)
    return code as number
  })
  await once(socket, 'open')
  return {
    socket,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () =>
      messages.length > 0
        ? Promise.resolve(messages.shift())
        : new Promise<unknown>((resolve) => waiting.push(resolve)),
  }
}

/** Status of a refused handshake; 101: it is accepted. */
export async function handshake(
  url: string,
  headers: Record<string, string>,
  protocols: string[] = ['jmap'],
): Promise<number> {
  const socket = new WebSocket(url, protocols, { headers })
  const status = await new Promise<number>((resolve, reject) => {
    socket.on('open', () => resolve(101))
    socket.on('unexpected-response', (_request: unknown, response: IncomingMessage) => resolve(response.statusCode!))
    socket.on('error', reject)
  })
  socket.on('error', () => {})
  socket.terminate()
  return status
}
