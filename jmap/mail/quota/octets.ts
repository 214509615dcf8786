/** The storage limit of an account, and the count of its octets. */

import { SWEEP_SLICE } from '../../../server/base/limits.ts'
import type { AccountUnit, Store } from '../../../storage/ports.ts'
import { mailboxAccountsAfter } from '../../../storage/repos/accounts.ts'
import { changeFact, findFact } from '../../../storage/repos/installation.ts'
import type { Services } from '../../type/context.ts'

/** Number of the Quota of an account: RFC 9425. */
export const STORAGE_QUOTA = 1

type Needs = Pick<Services, 'limits'>

/** Whether an account has room for so many more octets (decision D8: 0 is no limit). */
export function hasRoomFor({ limits }: Needs, unit: AccountUnit, size: number): boolean {
  return limits.mailboxStorageBytes === 0 || unit.usedBytes + size <= limits.mailboxStorageBytes
}

/** Inside a unit of work: counts a message that is stored or destroyed. With a limit, the account's Quota changes too. */
export function countOctets({ limits }: Needs, unit: AccountUnit, delta: number): void {
  unit.addUsedBytes(delta)
  if (limits.mailboxStorageBytes > 0) unit.change('Quota', STORAGE_QUOTA, 'u', ['used'])
}

/**
 * At the start: if the limit differs from that of the last run, every account's Quota was created, changed or destroyed, and its change
 * log records this (RFC 9425 4.2).
 */
export async function announceLimit(store: Store, limit: number): Promise<void> {
  const before = Number((await store.read((reader) => findFact(reader, 'mailbox_storage_bytes'))) ?? 0)
  if (before === limit) return
  const kind = before === 0 ? 'c' : limit === 0 ? 'd' : 'u'
  let after: number | undefined = 0
  while (after !== undefined) {
    const from: number = after
    const slice = await store.read((reader) => mailboxAccountsAfter(reader, from, SWEEP_SLICE))
    await Promise.all(
      slice.map((account) =>
        store.write([account], async (work) => work.account(account).change('Quota', STORAGE_QUOTA, kind)),
      ),
    )
    after = slice.at(-1)
  }
  await store.write([], (work) => changeFact(work.sql, 'mailbox_storage_bytes', String(limit)))
}
