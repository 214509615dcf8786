import type { Reader } from '../ports.ts'
import { statement } from '../statement.ts'

const newest = statement<{ account: number; type: string }>()((db, p) =>
  db
    .selectFrom('change')
    .select('at')
    .where('account', '=', p('account'))
    .where('type', '=', p('type'))
    .orderBy('seq', 'desc')
    .limit(1),
)

/** Epoch ms of the newest change of these types that the log still has; null: it has none. */
export async function newestChangeAt(
  reader: Reader,
  account: number,
  types: readonly string[],
): Promise<number | null> {
  let at: number | null = null
  for (const type of types) {
    const [row] = await reader.sql.all(newest, { account, type })
    if (row && (at === null || row.at > at)) at = row.at
  }
  return at
}
