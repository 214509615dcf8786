import type { Reader } from '../ports.ts'

/** Threads in the order of their newest email, newest first (for the vendor method Thread/query). */
export async function selectThreads(
  reader: Reader,
  account: number,
  olderThan: { readonly latestAt: number; readonly id: number } | null,
  offset: number,
  limit: number,
): Promise<number[]> {
  const rows = await reader.sql.query((db) => {
    let select = db
      .selectFrom('thread')
      .select('id')
      .where('account', '=', account)
      .orderBy('latest_at', 'desc')
      .orderBy('id', 'desc')
    if (olderThan)
      select = select.where((eb) =>
        eb.or([
          eb('latest_at', '<', olderThan.latestAt),
          eb.and([eb('latest_at', '=', olderThan.latestAt), eb('id', '<', olderThan.id)]),
        ]),
      )
    return select.limit(limit).offset(offset)
  })
  return rows.map((row) => row.id)
}
