/** Shortens the change logs of accounts. */
import { SWEEP_SLICE } from '../../server/base/limits.ts'
import { trimChanges } from '../../storage/change-log.ts'
import type { Store } from '../../storage/ports.ts'
import { accountsAfter, hasChangesBefore } from '../../storage/repos/accounts.ts'

/** RFC 8620 5.2: changes stay available for at least 30 days. */
export async function trimLogs(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  let after: number | undefined = 0
  while (after !== undefined && !isStopping()) {
    const from: number = after
    const accounts = await store.read((reader) => accountsAfter(reader, from, SWEEP_SLICE))
    for (const account of accounts) {
      if (isStopping()) return count
      if (!(await store.read((reader) => hasChangesBefore(reader, account, before)))) continue
      await store.write([account], (work) => trimChanges(work, account, before))
      count++
    }
    after = accounts.length < SWEEP_SLICE ? undefined : accounts.at(-1)
  }
  return count
}
