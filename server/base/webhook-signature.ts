/** The header fields that sign a webhook: spec/contract.tsv, Signature verification; decision D24. */
import { createHmac } from 'node:crypto'

export interface WebhookSecrets {
  readonly current: string
  /** The previous secret while it is valid, else null. */
  readonly previous: string | null
}

/**
 * Signed for each attempt: receivers accept a signature for 300 seconds, and attempts are hours apart.
 * @param prefix of the names, such as `X-Service`
 * @param now epoch ms
 */
export function signatureHeaders(
  prefix: string,
  { current, previous }: WebhookSecrets,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const sign = (secret: string) => createHmac('sha256', secret).update(`v1=${timestamp}\n${body}`).digest('hex')
  const name = (end: string) => `${prefix}-${end}`.toLowerCase()
  return {
    [name('Signature')]: sign(current),
    [name('Timestamp')]: timestamp,
    ...(previous !== null && { [name('Signature-Previous')]: sign(previous) }),
  }
}
