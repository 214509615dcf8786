/** A receiver of webhooks on loopback that takes every delivery and only counts. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { loopbackCertificate } from '../../../../spec/support/tls-material.ts'

export interface TakingReceiver {
  readonly url: string
  /** Its certificate, PEM. */
  readonly authority: string
  taken(): number
  close(): void
}

export async function startTakingReceiver(): Promise<TakingReceiver> {
  const { key, cert } = await loopbackCertificate()
  let count = 0
  const server = createServer({ key, cert }, (request, response) => {
    request.resume()
    request.on('end', () => {
      count++
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    authority: cert,
    taken: () => count,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
