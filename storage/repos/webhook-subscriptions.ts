/** Types of events that the active webhooks of an organization ask for. Delivery of mail reads them for each event. */
import type { AccountUnit, Reader } from '../ports.ts'
import { statement } from '../statement.ts'

const find = statement<{ organization: number; type: string }>()((db, p) =>
  db
    .selectFrom('webhook_subscription')
    .select('webhook')
    .where('organization', '=', p('organization'))
    .where('type', '=', p('type')),
)

/** Object numbers of the webhooks that ask for a type of event. */
export async function webhooksFor(reader: Reader, organization: number, type: string): Promise<number[]> {
  const rows = await reader.sql.all(find, { organization, type })
  return rows.map(({ webhook }) => webhook)
}

/** @param unit of the organization @param types empty: the webhook gets no events */
export async function subscribeWebhook(unit: AccountUnit, webhook: number, types: readonly string[]): Promise<void> {
  const organization = unit.account
  await unit.sql.query((db) =>
    db.deleteFrom('webhook_subscription').where('organization', '=', organization).where('webhook', '=', webhook),
  )
  if (types.length === 0) return
  const rows = types.map((type) => ({ organization, type, webhook }))
  await unit.sql.query((db) => db.insertInto('webhook_subscription').values(rows))
}
