/**
 * Sends reminders. The letters and what is due next are one commit, so that a crash neither loses nor repeats a letter; a worker whose
 * lease has passed to another one commits nothing.
 */
import { AccountGone } from '../../../storage/account-gone.ts'
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import {
  findReminderQueue,
  firstReminderAt,
  revisionsOf,
  saveReminder,
  updateQueue,
} from '../../../storage/repos/reminders.ts'
import { storeNotice, writeNotice } from '../../mail/email/notice.ts'
import { emailFromMessage, type PreparedEmail } from '../../mail/email/store-email.ts'
import { domainOf } from '../../message/mail-address.ts'
import type { Services } from '../../type/context.ts'
import { fireAlerts } from './calendar-alert.ts'
import type { ReminderPlan } from './plan.ts'

export async function fireReminders(services: Services, plan: ReminderPlan): Promise<void> {
  const letters = await prepareLetters(services, plan)
  try {
    await services.store.write([plan.account], (work) => fire(services, work, plan, letters))
  } catch (error) {
    // The account is being erased, with its events.
    if (!(error instanceof AccountGone)) throw error
  }
}

function prepareLetters(services: Services, { owner, letters, now }: ReminderPlan): Promise<PreparedEmail[]> {
  if (owner === null) return Promise.resolve([])
  const { address, name } = owner
  const from = `postmaster@${domainOf(address)}`
  return Promise.all(
    letters.map(({ subject, text }) =>
      emailFromMessage(services, writeNotice({ from, to: address, toName: name, subject, text, now })),
    ),
  )
}

const RELEASED = { lease: null, lease_until: 0 }

async function fire(
  services: Services,
  work: Unit,
  plan: ReminderPlan,
  letters: readonly PreparedEmail[],
): Promise<void> {
  const unit = work.account(plan.account)
  const queue = await findReminderQueue(unit, unit.account)
  if (queue?.lease !== plan.lease) return
  if (unit.isDeleted) return updateQueue(unit, { ...RELEASED, due_at: null })
  // An event has changed since: the next turn plans anew.
  if (!(await isCurrent(unit, plan))) return updateQueue(unit, { ...RELEASED, due_at: unit.now })
  for (const { number, dueAt } of plan.events)
    await saveReminder(unit, number, dueAt === null ? null : { due_at: dueAt, settled_at: plan.now })
  for (const letter of letters) await storeNotice(services, work, unit, letter, 'calendar')
  await fireAlerts(unit, plan.pushed)
  const isDone = plan.recalculatedTo === null
  await updateQueue(unit, {
    ...RELEASED,
    due_at: plan.waitUntil ?? (isDone ? await firstReminderAt(unit) : unit.now),
    recalculate_after: plan.recalculatedTo,
    counted_since: plan.countedSince,
    counted: plan.counted,
  })
}

async function isCurrent(unit: AccountUnit, { events }: ReminderPlan): Promise<boolean> {
  const numbers = events.map(({ number }) => number)
  const revisions = await revisionsOf(unit, unit.account, numbers)
  return events.every(({ number, revision }) => revisions.get(number) === revision)
}
