/** A mail server that takes mail and cuts connections: before the message is whole, before it says 250, or right after. It writes down whom it said 250 for. */
import { createServer, type Server, type Socket } from 'node:net'

export type Cut = 'data' | 'before' | 'after'

export interface CuttingSink {
  readonly server: Server
  /** How often 250 was said, by `message-id recipient`. */
  readonly taken: Map<string, number>
  readonly cuts: { readonly [cut in Cut]: number }
}

/** @param next which cut the next message gets; null: none */
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
    // What was said may still be on its way.
    if (cut === 'after') socket.resetAndDestroy()
  }
  return { server, taken, cuts }
}
