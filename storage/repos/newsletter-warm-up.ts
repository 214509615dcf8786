/** How many recipients of newsletters a domain has had on its days with newsletters. */
import type { AccountUnit, Reader } from '../ports.ts'
import type { NewsletterWarmUpTable } from '../schema/tables.ts'

export async function findWarmUp(
  reader: Reader,
  account: number,
  domain: number,
): Promise<NewsletterWarmUpTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('newsletter_warm_up').selectAll().where('account', '=', account).where('domain', '=', domain),
  )
  return row ?? null
}

export async function saveWarmUp(unit: AccountUnit, row: Omit<NewsletterWarmUpTable, 'account'>): Promise<void> {
  const { domain: _domain, ...set } = row
  await unit.sql.query((db) =>
    db
      .insertInto('newsletter_warm_up')
      .values({ account: unit.account, ...row })
      .onConflict((oc) => oc.columns(['account', 'domain']).doUpdateSet(set)),
  )
}
