import type { Buffer } from 'node:buffer'
import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A proxy between PostgreSQL and a client that cuts the connection at a moment that a test names. */
export interface CuttingProxy {
  /** The URL of the database through this proxy. */
  readonly url: string
  /**
   * Cuts the connection of the next client that sends this text: before the server has received it, or after it has answered, so that
   * only the answer is lost.
   */
  cutNext(text: string, when: 'before' | 'after'): void
  /** Number of cuts. */
  readonly cuts: number
  /** false: cuts all connections and refuses new ones; true: accepts again. */
  open(yes: boolean): void
}

export async function cuttingProxy(t: Test, url: string): Promise<CuttingProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let wanted: { text: string; when: 'before' | 'after' } | null = null
  let cuts = 0
  let isOpen = true
  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    let cutAtAnswer = false
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (bytes: Buffer) => {
      if (wanted && bytes.includes(wanted.text)) {
        const { when } = wanted
        wanted = null
        cuts++
        if (when === 'before') {
          cut()
          return
        }
        cutAtAnswer = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (cutAtAnswer) cut()
      else client.write(bytes)
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const through = new URL(url)
  through.port = String((server.address() as { port: number }).port)
  return {
    url: through.href,
    cutNext(text, when) {
      wanted = { text, when }
    },
    get cuts() {
      return cuts
    },
    open(yes) {
      isOpen = yes
      if (!yes) for (const socket of sockets) socket.destroy()
    },
  }
}
