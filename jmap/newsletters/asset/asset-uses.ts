/** Which assets newsletters need. */
import type { Keyring } from '../../../server/base/keyring.ts'
import { NEWSLETTER_URLS_MAX } from '../../../server/base/newsletter-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAssetByNonce } from '../../../storage/repos/newsletter-assets.ts'
import { assetsOfNewsletters } from '../../../storage/repos/newsletters.ts'
import type { NewsletterAssetTable, NewsletterTable } from '../../../storage/schema/tables.ts'
import type { StoredContent } from '../newsletter/stored-newsletter.ts'
import { assetsIn } from './asset-paths.ts'

/** Statuses of newsletters that cannot be changed before they are sent (decision D20). */
const WAITING: readonly NewsletterTable['status'][] = ['scheduled', 'sending', 'paused']

export async function usedBySending(reader: Reader, { account, nonce }: NewsletterAssetTable): Promise<boolean> {
  const named = await assetsOfNewsletters(reader, account, WAITING)
  return named.some((nonces) => nonces.split(' ').includes(nonce))
}

/** How many assets of the organization a newsletter names that were deleted. */
export async function deletedAssets(
  reader: Reader,
  keyring: Keyring,
  account: number,
  { blocks }: StoredContent,
): Promise<number> {
  let deleted = 0
  for (const nonce of assetsIn(keyring, account, JSON.stringify(blocks), NEWSLETTER_URLS_MAX * 2))
    if (!(await findAssetByNonce(reader, account, nonce))) deleted++
  return deleted
}
