/** Makes the keys of sorts that somebody has asked for, in slices beside other work (storage/repos/email-sort-keys.ts). */
import type { BackgroundSlices } from '../../../server/base/background-slices.ts'
import { SORT_KEYS_SLICE, SORT_TAIL_KEYS, SORT_WITHOUT_KEYS } from '../../../server/base/reading-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { addSortKeys, countAfter, type KeyedSort, sortedUpTo } from '../../../storage/repos/email-sort-keys.ts'
import type { Services } from '../../type/context.ts'

/** Sorts of accounts that wait for keys. Losing them costs nothing: the next query asks again. */
export type WaitingSorts = Map<string, { readonly account: number; readonly sort: KeyedSort }>

/** Whether so many emails have no keys that they should get some. */
export async function lacksSortKeys(reader: Reader, account: number, sort: KeyedSort): Promise<boolean> {
  const upTo = await sortedUpTo(reader, account, sort)
  const few = upTo === null ? SORT_WITHOUT_KEYS : SORT_TAIL_KEYS
  return (await countAfter(reader, account, upTo ?? 0, few + 1)) > few
}

/** Lets the keys of a sort be made. Returns at once. */
export function prepareSort(
  { waitingSorts, sorter }: { readonly waitingSorts: WaitingSorts; readonly sorter: BackgroundSlices | null },
  account: number,
  sort: KeyedSort,
): void {
  waitingSorts.set(`${account} ${sort}`, { account, sort })
  sorter?.wake()
}

/** Gives keys to one slice of emails. Returns how many it were; 0: no sort waits. */
export async function addSomeSortKeys({ store }: Pick<Services, 'store'>, waiting: WaitingSorts): Promise<number> {
  const [first] = waiting
  if (!first) return 0
  const [key, { account, sort }] = first
  // Behind the others, so that a large account does not keep a small one waiting.
  waiting.delete(key)
  const work = await store.write(
    [account],
    async (unit) => {
      const own = unit.account(account)
      return own.isDeleted ? 0 : addSortKeys(own, sort, SORT_KEYS_SLICE)
    },
    // What a power failure undoes is done again.
    'deferred',
  )
  if (work === SORT_KEYS_SLICE) waiting.set(key, { account, sort })
  return Math.max(work, 1)
}
