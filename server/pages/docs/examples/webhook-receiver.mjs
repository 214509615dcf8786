/**
 * Receives webhooks and accepts only those that are signed. Needs nothing but Node 18 or newer:
 *
 *     WEBHOOK_SECRET=whsec_... PORT=3000 node webhook-receiver.mjs
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const TOLERANCE_SECONDS = 300
const BODY_MAX_BYTES = 1024 * 1024

/**
 * Whether a delivery comes from the server. While a secret is being replaced each delivery has two signatures, by the new and by the
 * old secret; a receiver that knows either accepts it.
 *
 * @param headers with names in lower case, as in Node
 * @param body the received octets, before they are parsed as JSON
 */
export function isGenuine(secret, headers, body, now = Date.now()) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', secret).update(`v1=${timestamp}\n`).update(body).digest('hex')
  const given = [headers['x-service-signature'], headers['x-service-signature-previous']]
  return given.some((signature) => typeof signature === 'string' && isEqual(signature, expected))
}

/** Compares in constant time. */
function isEqual(a, b) {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

/** @param handle is called once with each event; a delivery may come twice, with the same `event_id` */
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
    // Respond at once: after 15 seconds the delivery counts as failed and is repeated.
    response.writeHead(204).end()
    const event = JSON.parse(body)
    if (seen.has(event.event_id)) return
    // A real receiver stores these in its database, in the transaction that handles the event.
    seen.add(event.event_id)
    handle(event)
  })
}

// Whether this file is run, and not imported.
if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { WEBHOOK_SECRET, PORT = '3000' } = process.env
  if (!WEBHOOK_SECRET) throw new Error('Set WEBHOOK_SECRET.')
  const receiver = createReceiver(WEBHOOK_SECRET, ({ event_type, data }) => console.log(event_type, data))
  receiver.listen(Number(PORT), '127.0.0.1', () => console.log(`Waiting for webhooks on port ${PORT}.`))
}
