/** Which assets content names. Pure. */
import { NEWSLETTER_URLS_MAX } from '../../../server/base/newsletter-limits.ts'

/** The random part of both URLs of an asset (jmap/newsletters/asset/asset-paths.ts). It has no character that content escapes. */
const NONCE_IN_URL = /\/media\/[0-9a-z]{1,10}\.([A-Za-z0-9_-]{16})\./g

/** The random parts, separated by spaces. Content with more URLs than can be sent is not sent, so that not all of them are wanted. */
export function namedAssets(text: string): string {
  const nonces = new Set<string>()
  for (const [, nonce] of text.matchAll(NONCE_IN_URL)) if (nonces.size < NEWSLETTER_URLS_MAX * 2) nonces.add(nonce!)
  return [...nonces].join(' ')
}
