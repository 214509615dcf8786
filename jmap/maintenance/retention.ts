/** Erases deleted mailboxes: their content is kept for the retention time, then erased in slices (decision D8). */
import { SWEEP_SLICE } from '../../server/base/limits.ts'
import type { AccountUnit, Store } from '../../storage/ports.ts'
import { deleteEmail } from '../../storage/repos/emails.ts'
import { eraseRows, mailboxesToErase, someEmails } from '../../storage/repos/erase.ts'
import { takeUnindexed } from '../../storage/repos/unindexed.ts'
import { searchIndexOf } from '../../storage/search/engines.ts'

/** Returns the number of erased mailboxes. The sweep deletes their blobs later. */
export async function eraseMailboxes(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  for (;;) {
    const [account] = isStopping() ? [] : await store.read((reader) => mailboxesToErase(reader, before, 1))
    if (account === undefined) return count
    const isDone = await store.write([account], (work) => eraseSlice(work.account(account)))
    if (isDone) count++
  }
}

/** Inside a unit of work. No client can read the account any more, so no state and no count is updated. */
async function eraseSlice(unit: AccountUnit): Promise<boolean> {
  const emails = await someEmails(unit, SWEEP_SLICE)
  for (const email of emails) {
    if (!(await takeUnindexed(unit, email))) await searchIndexOf(unit.sql).remove(unit, email)
    await deleteEmail(unit, email)
  }
  if (emails.length === SWEEP_SLICE) return false
  await eraseRows(unit)
  return true
}
