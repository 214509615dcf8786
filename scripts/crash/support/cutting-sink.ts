/**
 * A mail server that accepts mail and cuts connections: before the message is whole, before its 250, or directly after. It records the
 * recipients of each 250.
 */
import { createServer, type Server, type Socket } from 'node:net'

export type Cut = 'data' | 'before' | 'after'

export interface CuttingSink {
  readonly server: Server
  /** Number of 250 replies by `message-id recipient`. */
  readonly taken: Map<string, number>
  readonly cuts: { readonly [cut in Cut]: number }
}

/** @param next how to cut the next message; null: not */
export function cuttingSink(next: () => Cut | null): CuttingSink {
  const taken = new Map<string, number>()
  const cuts = { data: 0, before: 0, after: 0 }
  const server = createServer((socket) => {
    let pending = ''
    let recipients: string[] = []
    let inData = false
    socket.setEncoding('latin1')
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.write('220 sink.test\r\n')
    socket.on('data', (chunk: string) => {
      pending += chunk
      for (;;) {
        const mark = inData ? '\r\n.\r\n' : '\r\n'
        const end = pending.indexOf(mark)
        if (end < 0 || socket.destroyed) return
        const text = pending.slice(0, end)
        pending = pending.slice(end + mark.length)
        if (inData) {
          inData = false
          finish(socket, text, recipients)
          recipients = []
          continue
        }
        if (/^RCPT/i.test(text)) recipients.push(/<([^>]*)>/.exec(text)![1]!)
        inData = /^DATA/i.test(text)
        socket.write(inData ? '354 go on\r\n' : '250 ok\r\n')
        if (/^QUIT/i.test(text)) socket.end()
      }
    })
  })
  const finish = (socket: Socket, text: string, recipients: readonly string[]) => {
    const cut = next()
    if (cut) cuts[cut]++
    if (cut === 'data' || cut === 'before') return void socket.destroy()
    const id = /^Message-ID:\s*<([^>]*)>/im.exec(text)![1]!
    for (const recipient of recipients) taken.set(`${id} ${recipient}`, (taken.get(`${id} ${recipient}`) ?? 0) + 1)
    socket.write('250 taken\r\n')
    // The reply may still be on its way.
    if (cut === 'after') socket.resetAndDestroy()
  }
  return { server, taken, cuts }
}
