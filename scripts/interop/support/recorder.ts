/** A mail server that accepts everything and stores it octet for octet. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface Delivered {
  /** MAIL and RCPT lines. */
  readonly envelope: string
  /** Without stuffed dots; one character for an octet. */
  readonly text: string
}

export async function startRecorder(): Promise<{
  readonly port: number
  readonly delivered: readonly Delivered[]
  stop(): void
}> {
  const delivered: Delivered[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    record(socket, (message) => delivered.push(message))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    delivered,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Lines and messages also end at LF, as with lenient servers: what is smuggled past them shows. */
function record(socket: Socket, keep: (message: Delivered) => void): void {
  let pending = ''
  let envelope = ''
  let inData = false
  const end = /\r?\n\.\r?\n/
  socket.setEncoding('latin1')
  socket.setNoDelay(true)
  socket.write('220 recorder.test\r\n')
  socket.on('data', (chunk: string) => {
    pending += chunk
    for (;;) {
      const found = (inData ? end : /\r?\n/).exec(pending)
      if (!found) return
      const text = pending.slice(0, found.index)
      pending = pending.slice(found.index + found[0].length)
      if (inData) {
        keep({ envelope, text: `${text}\r\n`.replaceAll(/(^|\n)\.\./g, '$1.') })
        envelope = ''
        inData = false
      } else {
        if (/^(MAIL|RCPT)/i.test(text)) envelope += `${text}\n`
        inData = /^DATA/i.test(text)
      }
      socket.write(inData ? '354 go on\r\n' : '250 ok\r\n')
      if (/^QUIT/i.test(text) && !inData) socket.end()
    }
  })
}
