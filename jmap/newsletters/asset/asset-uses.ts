/** Which assets newsletters name, and whether one that will be sent needs an asset. */
import { NEWSLETTER_URLS_MAX } from '../../../server/base/newsletter-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { assetsOfNewsletters } from '../../../storage/repos/newsletters.ts'
import type { NewsletterAssetTable, NewsletterTable } from '../../../storage/schema/tables.ts'
import { NONCE_IN_URL } from './asset-paths.ts'

/** Statuses of newsletters that cannot be changed before they are sent (decision D20). */
const WAITING: readonly NewsletterTable['status'][] = ['scheduled', 'sending', 'paused']

/** The random parts of the URLs of assets in a text. One that names more than can be sent is not sent, so that the others do not count. */
export function assetsIn(text: string): string {
  const nonces = new Set<string>()
  for (const [, nonce] of text.matchAll(NONCE_IN_URL)) if (nonces.size < NEWSLETTER_URLS_MAX * 2) nonces.add(nonce!)
  return [...nonces].join(' ')
}

export async function usedBySending(reader: Reader, { account, nonce }: NewsletterAssetTable): Promise<boolean> {
  const named = await assetsOfNewsletters(reader, account, WAITING)
  return named.some((nonces) => nonces.split(' ').includes(nonce))
}
