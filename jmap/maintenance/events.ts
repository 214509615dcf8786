/** Retention of events: they are deleted in slices after their time. */
import { SWEEP_SLICE } from '../../server/base/limits.ts'
import type { Store } from '../../storage/ports.ts'
import { listAccounts } from '../../storage/repos/accounts.ts'
import { deleteEventsBefore, hasEventsBefore } from '../../storage/repos/events.ts'
import { sweepRows } from './sliced-rows.ts'

/** How many were deleted. @param before epoch ms @param isStopping asked between slices */
export async function sweepEvents(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  for (const { id } of await store.read((reader) => listAccounts(reader, { kind: 'organization' }))) {
    if (isStopping()) break
    if (!(await store.read((reader) => hasEventsBefore(reader, id, before)))) continue
    count += await sweepRows(store, (sql) => deleteEventsBefore(sql, id, before, SWEEP_SLICE), isStopping)
  }
  return count
}
