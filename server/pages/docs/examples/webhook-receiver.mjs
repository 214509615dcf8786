/**
 * Receives webhooks, and believes only those that are signed. Needs nothing but Node 24:
 *
 *     WEBHOOK_SECRET=whsec_... PORT=3000 node webhook-receiver.mjs
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const TOLERANCE_SECONDS = 300
const BODY_MAX_BYTES = 1024 * 1024

/**
 * Whether a delivery comes from the server. While a secret is being replaced each delivery carries two signatures: one by the new
 * secret, one by the old; a receiver that knows either is content.
 *
 * @param headers with names in lower case, as Node has them
 * @param body the octets as they came, before anything reads them as JSON
 */
export function isGenuine(secret, headers, body, now = Date.now()) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', secret).update(`v1=${timestamp}\n`).update(body).digest('hex')
  const given = [headers['x-service-signature'], headers['x-service-signature-previous']]
  return given.some((signature) => typeof signature === 'string' && isEqual(signature, expected))
}

/** In a time that does not tell how much of it was right. */
function isEqual(a, b) {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

/** @param handle is given each event once; a delivery may come twice, and has the same `event_id` then */
export function createReceiver(secret, handle, now = Date.now) {
  const seen = new Set()
  return createServer(async (request, response) => {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
      size += chunk.length
      if (size <= BODY_MAX_BYTES) chunks.push(chunk)
    }
    const body = Buffer.concat(chunks)
    if (size > BODY_MAX_BYTES || !isGenuine(secret, request.headers, body, now())) {
      response.writeHead(401).end()
      return
    }
    // Answer at once: after 15 seconds the delivery counts as failed, and comes again.
    response.writeHead(204).end()
    const event = JSON.parse(body)
    if (seen.has(event.event_id)) return
    // A real receiver keeps these in its database, in the transaction of what it does with the event.
    seen.add(event.event_id)
    handle(event)
  })
}

if (import.meta.main) {
  const { WEBHOOK_SECRET, PORT = '3000' } = process.env
  if (!WEBHOOK_SECRET) throw new Error('Set WEBHOOK_SECRET.')
  const receiver = createReceiver(WEBHOOK_SECRET, ({ event_type, data }) => console.log(event_type, data))
  receiver.listen(Number(PORT), '127.0.0.1', () => console.log(`Waiting for webhooks on port ${PORT}.`))
}
