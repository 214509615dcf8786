/** Whether a newsletter that will be sent needs an asset. */
import type { Reader } from '../../../storage/ports.ts'
import { findNewsletterContent } from '../../../storage/repos/newsletters.ts'
import { selectRows } from '../../../storage/repos/numbered-rows.ts'
import type { NewsletterAssetTable, NewsletterTable } from '../../../storage/schema/tables.ts'

/** Statuses of newsletters that cannot be changed before they are sent (decision D20). */
const WAITING: readonly NewsletterTable['status'][] = ['scheduled', 'sending', 'paused']
const SLICE = 100

export async function usedBySending(reader: Reader, { account, nonce }: NewsletterAssetTable): Promise<boolean> {
  // The random part of both of its URLs. It has no character that content escapes.
  for (const status of WAITING) {
    const condition = { kind: 'equal', column: 'status', value: status } as const
    const query = { table: 'newsletter', account, condition, oldestFirst: true } as const
    for (let position = 0; ; position += SLICE) {
      const ids = await selectRows(reader, query, position, SLICE)
      for (const id of ids) if ((await findNewsletterContent(reader, account, id))?.includes(nonce)) return true
      if (ids.length < SLICE) break
    }
  }
  return false
}
