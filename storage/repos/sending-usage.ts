/** Recipients that were admitted for an organization, by period. */
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

const keep = statement<{ organization: number; period: string; sends: number }>()((db, p) =>
  db
    .insertInto('sending_usage')
    .values({ organization: p('organization'), period: p('period'), sends: p('sends') })
    .onConflict((oc) => oc.columns(['organization', 'period']).doUpdateSet({ sends: p('sends') })),
)

/** @param unit of the organization: under its lock, reading and writing are one step */
export async function keepSends(unit: AccountUnit, period: string, sends: number): Promise<void> {
  await unit.sql.all(keep, { organization: unit.account, period, sends })
}
