import { IN_LIST_MAX } from '../../server/base/limits.ts'

/** Slices of a list that an engine accepts as parameters of one statement. */
export function* slicesOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < list.length; i += IN_LIST_MAX) yield list.slice(i, i + IN_LIST_MAX)
}

/** Rows that `find` returns for all slices of a list. */
export async function findInSlices<T, Row>(
  list: readonly T[],
  find: (slice: readonly T[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (const slice of slicesOf(list)) found.push(...(await find(slice)))
  return found
}
