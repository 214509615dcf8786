/**
 * The sending of newsletters, as a worker does it turn by turn. Each step is a unit of work that checks the lease, and all that it has done
 * is in the database: whoever has the next turn goes on from there, whatever has ended in between (promise N2).
 */
import { randomUUID } from 'node:crypto'
import { NEWSLETTER_TURN_MS } from '../../../server/base/newsletter-limits.ts'
import { AccountGone } from '../../../storage/account-gone.ts'
import { claimDueRuns, findRun, nextRunAt, updateRun } from '../../../storage/repos/newsletter-runs.ts'
import type { Services } from '../../type/context.ts'
import { begin } from './begin.ts'
import { gather } from './gather.ts'
import { queueNext } from './queue-next.ts'
import { inTurn, type NewsletterTurn, type NextStep } from './turn.ts'

/** Epoch ms when the first newsletter is due; null: none is. */
export function nextNewsletterTime({ store, clock }: Pick<Services, 'store' | 'clock'>): Promise<number | null> {
  return store.read((reader) => nextRunAt(reader, clock.now()))
}

export async function claimNewsletters(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<NewsletterTurn[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimDueRuns(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map(({ account, newsletter }) => ({ account, newsletter, lease }))
}

export async function runNewsletter(services: Services, turn: NewsletterTurn): Promise<void> {
  const until = services.clock.now() + NEWSLETTER_TURN_MS
  try {
    let next: NextStep = await takeStep(services, turn)
    while (next === 'now' && services.clock.now() < until) next = await takeStep(services, turn)
    const due = next === 'now' ? services.clock.now() : next
    await inTurn(services, turn, ({ unit, run }) =>
      updateRun(unit, run.newsletter, { due_at: due, lease: null, lease_until: 0 }),
    )
  } catch (error) {
    // The organization was deleted.
    if (!(error instanceof AccountGone)) throw error
  }
}

async function takeStep(services: Services, turn: NewsletterTurn): Promise<NextStep> {
  const run = await services.store.read((reader) => findRun(reader, turn.account, turn.newsletter))
  if (run?.step === 'start') return begin(services, turn)
  const step = run?.step === 'gather' ? gather : queueNext
  return (await inTurn(services, turn, step)) ?? null
}
