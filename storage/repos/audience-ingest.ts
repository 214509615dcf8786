/** Subscribers that were added for an organization, by period. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import { statement } from '../statement.ts'

const find = statement<{ organization: number; period: string }>()((db, p) =>
  db
    .selectFrom('audience_ingest')
    .select('added')
    .where('organization', '=', p('organization'))
    .where('period', '=', p('period')),
)

export async function ingestOf(reader: Reader, organization: number, period: string): Promise<number> {
  const [row] = await reader.sql.all(find, { organization, period })
  return row?.added ?? 0
}

const keep = insertRow('audience_ingest', (query) =>
  query.onConflict((oc) =>
    oc.columns(['organization', 'period']).doUpdateSet(({ ref }) => ({ added: ref('excluded.added') })),
  ),
)

/** @param unit of the organization: under its lock, reading and writing are one step */
export async function keepIngest(unit: AccountUnit, period: string, added: number): Promise<void> {
  await unit.sql.all(keep, { organization: unit.account, period, added })
}
