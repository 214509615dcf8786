/**
 * Checks the signature of a webhook delivery. Node 18 or newer, nothing else.
 *
 *     WEBHOOK_SECRET=whsec_... node verify.mjs TIMESTAMP SIGNATURE < body
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'

const TOLERANCE_SECONDS = 300

/**
 * @param signatures X-Service-Signature and, if there is one, X-Service-Signature-Previous
 * @param body the received octets, before anything reads them as JSON
 */
function isGenuine(secret, timestamp, signatures, body) {
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', secret).update(`v1=${timestamp}\n`).update(body).digest('hex')
  return signatures.some((given) => {
    return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  })
}

const [timestamp = '', ...signatures] = process.argv.slice(2)
process.exitCode = isGenuine(process.env.WEBHOOK_SECRET, timestamp, signatures, readFileSync(0)) ? 0 : 1
