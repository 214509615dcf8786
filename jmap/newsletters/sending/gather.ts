/** Writes the recipients of a newsletter that has begun: the subscribed members of its audience who have not left (decision D19). */
import { RECIPIENTS_PER_GATHERING } from '../../../server/base/newsletter-limits.ts'
import { findAudience } from '../../../storage/repos/audiences.ts'
import { insertRecipients, subscribedOf } from '../../../storage/repos/newsletter-recipients.ts'
import { updateRun } from '../../../storage/repos/newsletter-runs.ts'
import { unmailableAmong } from '../../../storage/repos/opt-outs.ts'
import { Newsletter } from '../newsletter/newsletter.type.ts'
import { finishNewsletter, moveNewsletter, tell } from '../run/run-state.ts'
import type { Held, NextStep } from './turn.ts'

/** One slice, in one unit of work. */
export async function gather({ services, unit, row, run }: Held): Promise<NextStep> {
  const { account } = unit
  const audience = row.audience === null ? null : await findAudience(unit, account, row.audience)
  if (!audience) {
    await moveNewsletter(unit, row, 'failed', {})
    await updateRun(unit, row.id, { due_at: null, lease: null, lease_until: 0 })
    await tell(unit, services.ids, 'newsletter.failed', { ...row, status: 'failed' }, run, 'audience_deleted')
    return null
  }
  const of = { account, audience: audience.id }
  const members = await subscribedOf(unit, { ...of, after: run.gathered, limit: RECIPIENTS_PER_GATHERING })
  const addresses = members.map(({ address }) => address)
  const unmailable = await unmailableAmong(unit, of, addresses)
  const wanted = members.filter(({ address }) => !unmailable.has(address))
  await insertRecipients(
    unit,
    wanted.map(({ id: subscriber, address }) => ({
      ...{ account, newsletter: row.id, subscriber, address },
      id: unit.nextObject(),
      status: 'waiting',
      reason: null,
      queued_at: null,
      finished_at: null,
      complained: 0,
      unsubscribed: 0,
    })),
  )
  const isLast = members.length < RECIPIENTS_PER_GATHERING
  const next = {
    gathered: members.at(-1)?.id ?? run.gathered,
    waiting: run.waiting + wanted.length,
    step: isLast ? ('send' as const) : run.step,
  }
  await updateRun(unit, row.id, next)
  unit.change(Newsletter.name, row.id, 'u', ['stats'])
  if (!isLast || next.waiting > 0) return 'now'
  await finishNewsletter(unit, services.ids, row, { ...run, ...next })
  return null
}
