/** Deletes expired webhook deliveries in slices. */
import { SWEEP_SLICE } from '../../server/base/limits.ts'
import type { Store } from '../../storage/ports.ts'
import { listAccounts } from '../../storage/repos/accounts.ts'
import { deleteDeliveriesBefore, hasDeliveriesBefore } from '../../storage/repos/webhook-delivery-query.ts'

/** Returns the number of deleted deliveries. @param before epoch ms @param isStopping called between slices */
export async function sweepDeliveries(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  for (const { id } of await store.read((reader) => listAccounts(reader, { kind: 'organization' }))) {
    let gone = SWEEP_SLICE
    while (gone === SWEEP_SLICE && !isStopping()) {
      if (!(await store.read((reader) => hasDeliveriesBefore(reader, id, before)))) break
      gone = await store.write([id], (work) => deleteDeliveriesBefore(work.account(id), before, SWEEP_SLICE))
      count += gone
    }
  }
  return count
}
