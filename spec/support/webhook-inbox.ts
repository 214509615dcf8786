/** A receiver of webhooks on loopback, over HTTPS, which accepts signed deliveries only, with the code in the docs. */
import { writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listenOnLoopback } from './loopback-server.ts'
import { temporaryFolder } from './posthouse.ts'
import { loopbackCertificate } from './tls-material.ts'

const example = new URL('../../server/pages/docs/examples/webhook-receiver.mjs', import.meta.url)
const { isGenuine } = (await import(example.href)) as {
  isGenuine(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean
}

export interface ReceivedEvent {
  readonly event_id: string
  readonly event_type: string
  readonly created_at: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
  readonly data: any
  readonly headers: IncomingHttpHeaders
  /** As it came. */
  readonly body: Buffer
  /** Whether the delivery is signed by a secret. */
  isSignedBy(secret: string): boolean
}

export interface WebhookInbox {
  readonly url: string
  /** File with the authority of its certificate, for NODE_EXTRA_CA_CERTS. */
  readonly authority: string
  /** All received events, oldest first. */
  readonly received: readonly ReceivedEvent[]
  /** The first event of a type that was not returned yet; waits for it. */
  take(type: string): Promise<ReceivedEvent>
}

/** Stopped after the test. */
export async function startWebhookInbox(t: Test): Promise<WebhookInbox> {
  const { key, cert } = await loopbackCertificate()
  const authority = join(temporaryFolder(t), 'authority.pem')
  writeFileSync(authority, cert)
  const received: ReceivedEvent[] = []
  const taken = new Set<ReceivedEvent>()
  let wake = Promise.withResolvers<void>()
  const server = createServer({ key, cert }, async (request, response) => {
    const body = await buffer(request)
    const { headers } = request
    response.writeHead(204).end()
    const isSignedBy = (secret: string) => isGenuine(secret, headers, body)
    received.push({ ...JSON.parse(body.toString()), headers, body, isSignedBy })
    wake.resolve()
    wake = Promise.withResolvers()
  })
  const port = await listenOnLoopback(t, server)
  return {
    url: `https://127.0.0.1:${port}/hooks`,
    authority,
    received,
    async take(type) {
      for (;;) {
        const event = received.find((one) => one.event_type === type && !taken.has(one))
        if (event) {
          taken.add(event)
          return event
        }
        await wake.promise
      }
    },
  }
}
