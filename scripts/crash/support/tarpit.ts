/** Mail servers for one domain each: one that responds slowly, and one that records the times of messages. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

export interface Tarpit {
  /** Present connections, and the maximum at once. */
  readonly open: number
  readonly most: number
  readonly messages: number
  stop(): void
}

/** @param delayMs before each reply */
export async function startTarpit(host: string, port: number, delayMs: number): Promise<Tarpit> {
  const sockets = new Set<Socket>()
  const count = { most: 0, messages: 0 }
  const server = createServer((socket) => {
    sockets.add(socket)
    count.most = Math.max(count.most, sockets.size)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    speak(
      socket,
      () => count.messages++,
      (text) => setTimeout(() => socket.write(text), delayMs).unref(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    get open() {
      return sockets.size
    },
    get most() {
      return count.most
    },
    get messages() {
      return count.messages
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** @param taken called with the Message-ID of each message */
export async function startSink(host: string, port: number, taken: (id: string) => void): Promise<{ stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    speak(
      socket,
      (message) => taken(/^Message-ID:\s*<([^>]*)>/im.exec(message)?.[1] ?? ''),
      (text) => socket.write(text),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function speak(socket: Socket, message: (text: string) => void, say: (reply: string) => void): void {
  let pending = ''
  let inData = false
  socket.setEncoding('latin1')
  socket.setNoDelay(true)
  say('220 peer.test\r\n')
  socket.on('data', (chunk: string) => {
    pending += chunk
    for (;;) {
      const mark = inData ? '\r\n.\r\n' : '\r\n'
      const end = pending.indexOf(mark)
      if (end < 0) return
      const text = pending.slice(0, end)
      pending = pending.slice(end + mark.length)
      if (inData) message(text)
      inData = !inData && /^DATA/i.test(text)
      say(inData ? '354 go on\r\n' : '250 ok\r\n')
      if (/^QUIT/i.test(text)) socket.end()
    }
  })
}
