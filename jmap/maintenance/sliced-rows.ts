/** Deletes rows in slices, each a short unit of work, so that no other write waits for long. */
import { SWEEP_SLICE } from '../../server/base/limits.ts'
import type { Sql, Store } from '../../storage/ports.ts'

/** @param removeSlice deletes at most SWEEP_SLICE rows and resolves with their number */
export async function sweepRows(
  store: Store,
  removeSlice: (sql: Sql) => Promise<number>,
  isStopping: () => boolean,
): Promise<number> {
  let count = 0
  while (!isStopping()) {
    const gone = await store.write([], (work) => removeSlice(work.sql))
    count += gone
    if (gone < SWEEP_SLICE) break
  }
  return count
}
