/** A receiver of webhooks that often fails, cuts connections and stalls, and records all requests. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { loopbackCertificate } from '../../../spec/support/tls-material.ts'

/** Fractions of the attempts. */
export interface Moods {
  readonly failing: number
  readonly resetting: number
  readonly stalling: number
}

/** The requests about one event. */
interface Told {
  readonly ids: Set<string>
  attempts: number
  /** Attempts that were answered with 204. */
  taken: number
}

export interface MoodyReceiver {
  readonly url: string
  /** Its certificate, PEM. */
  readonly ca: string
  /** By the subject of the message. */
  readonly told: ReadonlyMap<string, Told>
  readonly counts: { failed: number; reset: number; stalled: number; taken: number; unsigned: number; stale: number }
  /** Events that were accepted at least once. */
  takenEvents(): number
  secret: string
  close(): void
}

const STATUSES = [500, 502, 503, 429, 404, 302]

export async function startMoodyReceiver(moods: Moods, random: () => number): Promise<MoodyReceiver> {
  const { key, cert } = await loopbackCertificate()
  const told = new Map<string, Told>()
  let events = 0
  // Sockets below TLS, which can be reset.
  const sockets = new Map<number, Socket>()
  const counts = { failed: 0, reset: 0, stalled: 0, taken: 0, unsigned: 0, stale: 0 }
  const server = createServer({ key, cert }, async (request, response) => {
    const body = await buffer(request).catch(() => null)
    // The server was killed during the request.
    if (!body) return
    const timestamp = String(request.headers['x-service-timestamp'])
    const signature = createHmac('sha256', receiver.secret).update(`v1=${timestamp}\n`).update(body).digest('hex')
    if (signature !== request.headers['x-service-signature']) counts.unsigned++
    if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) counts.stale++
    const { event_id, data } = JSON.parse(body.toString()) as { event_id: string; data: { subject: string } }
    const one = told.get(data.subject) ?? { ids: new Set(), attempts: 0, taken: 0 }
    told.set(data.subject, one)
    one.ids.add(event_id)
    one.attempts++
    const mood = random()
    if (mood < moods.failing) {
      counts.failed++
      response.writeHead(STATUSES[Math.floor(random() * STATUSES.length)]!, { location: receiver.url }).end('no')
    } else if (mood < moods.failing + moods.resetting) {
      counts.reset++
      sockets.get(request.socket.remotePort!)?.resetAndDestroy()
    } else if (mood < moods.failing + moods.resetting + moods.stalling) counts.stalled++
    else {
      counts.taken++
      if (one.taken++ === 0) events++
      response.writeHead(204).end()
    }
  })
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket
    sockets.set(remotePort!, socket)
    socket.once('close', () => sockets.delete(remotePort!))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: MoodyReceiver = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    ca: cert,
    told,
    counts,
    takenEvents: () => events,
    secret: '',
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}
