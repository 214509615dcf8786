/** A turn of a worker with one newsletter: the lease that it holds, and units of work under it. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findRun } from '../../../storage/repos/newsletter-runs.ts'
import { findNewsletter } from '../../../storage/repos/newsletters.ts'
import type { NewsletterRunTable, NewsletterTable } from '../../../storage/schema/tables.ts'
import type { Services } from '../../type/context.ts'

/** A newsletter that a worker goes on with. */
export interface NewsletterTurn {
  readonly account: number
  readonly newsletter: number
  readonly lease: string
}

/** A run whose lease is held, inside a unit of work of its organization. */
export interface Held {
  readonly services: Services
  readonly unit: AccountUnit
  readonly row: NewsletterTable
  readonly run: NewsletterRunTable
}

/** Epoch ms when the next step can be made; null: none, until something changes. `now`: at once. */
export type NextStep = number | null | 'now'

/** Null: the lease is not held any more, or the newsletter is not to be sent now. */
export function inTurn<T>(
  services: Services,
  { account, newsletter, lease }: NewsletterTurn,
  use: (held: Held) => Promise<T>,
): Promise<T | null> {
  return services.store.write([account], async (work) => {
    const unit = work.account(account)
    const run = unit.isDeleted ? null : await findRun(unit, account, newsletter)
    const row = run && (await findNewsletter(unit, account, newsletter))
    if (!row || run.lease !== lease || (row.status !== 'sending' && row.status !== 'scheduled')) return null
    return use({ services, unit, row, run })
  })
}
