/** Queues the next recipients of a newsletter: as many as pace, warm-up and plan allow, in the commit that marks them (promise N2). */
import { RECIPIENTS_PER_QUEUEING } from '../../../server/base/newsletter-limits.ts'
import {
  updateRecipients,
  type WaitingRecipient,
  waitingRecipients,
} from '../../../storage/repos/newsletter-recipients.ts'
import { updateRun } from '../../../storage/repos/newsletter-runs.ts'
import { unmailableAmong } from '../../../storage/repos/opt-outs.ts'
import { queueRecipients } from '../../../storage/repos/outgoing.ts'
import { domainOf } from '../../message/mail-address.ts'
import { countSends } from '../../policy/plan.ts'
import { Newsletter } from '../newsletter/newsletter.type.ts'
import { settingsOf } from '../newsletter/stored-newsletter.ts'
import { type SkipReason, skipReason } from '../run/hand-over.ts'
import { finishNewsletter, pauseNewsletter } from '../run/run-state.ts'
import { sendsLeft, stopReason } from './guardrails.ts'
import { hourOf, leastOf, noteWarmUp, type Room, roomOfDomain, roomOfHour } from './pace.ts'
import type { Held, NextStep } from './turn.ts'

/** Milliseconds after which reputation and domain are looked at again while messages are in the queue. */
const WATCH_MS = 60_000

/** One slice, in one unit of work. */
export async function queueNext(held: Held): Promise<NextStep> {
  const { services, unit, row, run } = held
  const { ids, limits } = services
  const stop = await stopReason(unit, limits, row)
  if (stop) {
    await pauseNewsletter(unit, ids, row, run, stop)
    return null
  }
  // The end comes with the last report (jmap/newsletters/run/run-state.ts).
  if (run.waiting === 0) return unit.now + WATCH_MS
  const { plan, left } = await sendsLeft(unit, limits)
  if (left === 0) {
    await pauseNewsletter(unit, ids, row, run, 'quota')
    return null
  }
  const room = await roomOf(held)
  if (room.count === 0) return Math.min(room.moreAt, unit.now + WATCH_MS)
  const most = Math.min(RECIPIENTS_PER_QUEUEING, room.count, left ?? Number.POSITIVE_INFINITY)
  const { queued, skipped } = await chooseFrom(held, await waitingRecipients(unit, unit.account, row.id, most))
  await queueRecipients(
    unit,
    row.id,
    queued.map(({ id, address }) => ({ id, destination: domainOf(address) })),
  )
  await updateRecipients(
    unit,
    queued.map(({ id }) => id),
    { status: 'queued', queued_at: unit.now },
  )
  for (const [reason, of] of skipped)
    await updateRecipients(
      unit,
      of.map(({ id }) => id),
      { status: 'skipped', reason, finished_at: unit.now },
    )
  if (queued.length > 0) {
    await countSends(unit, plan, queued.length)
    if (row.domain !== null) await noteWarmUp(unit, row.domain, queued.length)
  }
  const next = countsAfter(held, queued.length, [...skipped.values()].flat().length)
  await updateRun(unit, row.id, next)
  unit.change(Newsletter.name, row.id, 'u', ['stats'])
  // Wakes the worker of the queue.
  unit.notify('EmailSubmission')
  if (next.waiting + next.queued > 0) return 'now'
  await finishNewsletter(unit, ids, row, { ...run, ...next })
  return null
}

async function roomOf({ services: { limits }, unit, row, run }: Held): Promise<Room> {
  if (!limits.hasNewsletterPace) return leastOf([])
  const recipients = run.waiting + run.queued + run.delivered + run.bounced + run.skipped
  const hours = settingsOf(row).sendWindowHours
  const ofHour = roomOfHour(run, { recipients, hours, now: unit.now })
  return leastOf([ofHour, await roomOfDomain(unit, limits, row.domain ?? 0)])
}

async function chooseFrom({ unit, row }: Held, waiting: readonly WaitingRecipient[]) {
  const addresses = waiting.map(({ address }) => address)
  const unmailable = await unmailableAmong(unit, { account: unit.account, audience: row.audience ?? 0 }, addresses)
  const queued: WaitingRecipient[] = []
  const skipped = new Map<SkipReason, WaitingRecipient[]>()
  for (const recipient of waiting) {
    const reason = skipReason(recipient, unmailable)
    if (reason === null) queued.push(recipient)
    else skipped.set(reason, [...(skipped.get(reason) ?? []), recipient])
  }
  return { queued, skipped }
}

function countsAfter({ unit, run }: Held, queued: number, skipped: number) {
  const hour = hourOf(run, unit.now)
  return {
    waiting: run.waiting - queued - skipped,
    queued: run.queued + queued,
    skipped: run.skipped + skipped,
    hour,
    hour_queued: (run.hour === hour ? run.hour_queued : 0) + queued,
  }
}
