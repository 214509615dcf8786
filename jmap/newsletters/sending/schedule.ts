/** Newsletter/schedule, cancel and resume: vendor methods (decision D19, the table of statuses). */
import type { AccountUnit } from '../../../storage/ports.ts'
import { deleteRun, findRun, insertRun, updateRun } from '../../../storage/repos/newsletter-runs.ts'
import { findNewsletter } from '../../../storage/repos/newsletters.ts'
import type { NewsletterRunTable, NewsletterTable } from '../../../storage/schema/tables.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { epochOf, formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { requireAudienceAccess } from '../access.ts'
import { openNewsletter } from '../newsletter/compile.ts'
import { Newsletter, NewsletterCancel, NewsletterResume, NewsletterSchedule } from '../newsletter/newsletter.type.ts'
import { failedOf, type Preflight, preflight } from '../newsletter/preflight.ts'
import { moveNewsletter, tell } from '../run/run-state.ts'

type Status = NewsletterTable['status']

export const scheduleMethod = implement(NewsletterSchedule, async (method, { newsletterId, scheduledAt }) => {
  requireAudienceAccess(method)
  const at = epochOf(scheduledAt)
  if (at <= method.services.clock.now()) throw invalidArguments('It is not in the future.', ['scheduledAt'])
  return guarded(method, newsletterId, ['draft', 'scheduled'], async (unit, row) => {
    const run = await findRun(unit, unit.account, row.id)
    if (run) await updateRun(unit, row.id, { due_at: at })
    else await insertRun(unit, newRun(unit.account, row.id, at))
    await moveNewsletter(unit, row, 'scheduled', { scheduledAt: formatUTCDate(at), pausedReason: null })
    await tell(unit, method.services.ids, 'newsletter.scheduled', { ...row, status: 'scheduled' }, run, null)
  })
})

export const cancelMethod = implement(NewsletterCancel, async (method, { newsletterId }) => {
  requireAudienceAccess(method)
  const number = method.number(Newsletter, method.resolveId(newsletterId))
  return change(method, async (unit) => {
    const row = await present(unit, number)
    if (row.status === 'scheduled') {
      await deleteRun(unit, row.id)
      await moveNewsletter(unit, row, 'draft', { scheduledAt: null })
    } else if (row.status === 'sending' || row.status === 'paused') {
      // Messages in the queue leave it when they are claimed (jmap/newsletters/run/hand-over.ts).
      await updateRun(unit, row.id, { due_at: null, lease: null, lease_until: 0 })
      await moveNewsletter(unit, row, 'cancelled', { pausedReason: null })
    } else throw wrongState(row.status, 'cancelled')
    return { accountId: method.account.id }
  })
})

export const resumeMethod = implement(NewsletterResume, async (method, { newsletterId }) => {
  requireAudienceAccess(method)
  return guarded(method, newsletterId, ['paused', 'cancelled', 'failed'], async (unit, row) => {
    const run = await findRun(unit, unit.account, row.id)
    if (!run || !hasMore(run)) throw new MethodError('invalidState', 'No recipients are left.')
    await updateRun(unit, row.id, { due_at: unit.now, lease: null, lease_until: 0 })
    await moveNewsletter(unit, row, 'sending', { pausedReason: null })
  })
})

function hasMore({ step, waiting, queued }: NewsletterRunTable): boolean {
  return step !== 'send' || waiting + queued > 0
}

type Guarded = { readonly accountId: string; readonly failed: Preflight['items'] }

/** Checks state and preflight, and then acts. @param from the states that allow it */
async function guarded(
  method: MethodContext,
  newsletterId: string,
  from: readonly Status[],
  act: (unit: AccountUnit, row: NewsletterTable) => Promise<void>,
): Promise<Guarded> {
  const { services, account } = method
  const check = (row: NewsletterTable) => {
    if (!from.includes(row.status)) throw wrongState(row.status, from[0] === 'draft' ? 'scheduled' : 'resumed')
    return row
  }
  const id = method.resolveId(newsletterId)
  const { newsletter, items } = await preflight(
    { services, account: account.number },
    (use) => method.read(use),
    (reader) => openNewsletter(method, reader, id),
  )
  const failed = failedOf(items)
  return change<Guarded>(method, async (unit) => {
    const row = check(await present(unit, newsletter.row.id))
    if (failed.length === 0) await act(unit, row)
    return { accountId: account.id, failed }
  })
}

/** One unit of work, which a repeated request does not repeat. */
async function change<A extends { readonly accountId: string }>(
  method: MethodContext,
  act: (unit: AccountUnit) => Promise<A>,
): Promise<A> {
  const step = method.request.steps?.next()
  return method.services.store.write([method.account.number], async (work) => {
    const unit = work.account(method.account.number)
    const done = await step?.recall<A>(unit)
    if (done) return done
    const answer = await act(unit)
    await step?.keep(unit, answer)
    return answer
  })
}

/** @throws MethodError notFound */
async function present(unit: AccountUnit, number: number | null): Promise<NewsletterTable> {
  const row = number === null || unit.isDeleted ? null : await findNewsletter(unit, unit.account, number)
  if (!row) throw new MethodError('notFound', 'There is no such newsletter.')
  return row
}

function wrongState(status: Status, what: string): MethodError {
  return new MethodError('invalidState', `A newsletter with the status ${status} cannot be ${what}.`)
}

function newRun(account: number, newsletter: number, due_at: number): NewsletterRunTable {
  return {
    ...{ account, newsletter, due_at },
    step: 'start',
    lease: null,
    lease_until: 0,
    started_at: null,
    gathered: 0,
    hour: 0,
    hour_queued: 0,
    waiting: 0,
    queued: 0,
    delivered: 0,
    bounced: 0,
    skipped: 0,
    complained: 0,
    unsubscribed: 0,
    recent: '',
  }
}
