/** Recipients that were admitted for an organization, by period. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import { statement } from '../statement.ts'

const find = statement<{ organization: number; period: string }>()((db, p) =>
  db
    .selectFrom('sending_usage')
    .select('sends')
    .where('organization', '=', p('organization'))
    .where('period', '=', p('period')),
)

export async function sendsOf(reader: Reader, organization: number, period: string): Promise<number> {
  const [row] = await reader.sql.all(find, { organization, period })
  return row?.sends ?? 0
}

const keep = insertRow('sending_usage', (query) =>
  query.onConflict((oc) =>
    oc.columns(['organization', 'period']).doUpdateSet(({ ref }) => ({ sends: ref('excluded.sends') })),
  ),
)

/** @param unit of the organization: under its lock, reading and writing are one step */
export async function keepSends(unit: AccountUnit, period: string, sends: number): Promise<void> {
  await unit.sql.all(keep, { organization: unit.account, period, sends })
}
