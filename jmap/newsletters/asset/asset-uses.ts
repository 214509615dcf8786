/** Whether a newsletter that will be sent needs an asset. */
import type { Reader } from '../../../storage/ports.ts'
import { assetsOfNewsletters } from '../../../storage/repos/newsletters.ts'
import type { NewsletterAssetTable, NewsletterTable } from '../../../storage/schema/tables.ts'

/** Statuses of newsletters that cannot be changed before they are sent (decision D20). */
const WAITING: readonly NewsletterTable['status'][] = ['scheduled', 'sending', 'paused']

export async function usedBySending(reader: Reader, { account, nonce }: NewsletterAssetTable): Promise<boolean> {
  const named = await assetsOfNewsletters(reader, account, WAITING)
  return named.some((nonces) => nonces.split(' ').includes(nonce))
}
