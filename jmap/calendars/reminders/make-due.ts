/** Marks events whose next alert must be calculated, in the unit of work of the change. The worker calculates it (plan.ts). */
import type { JsonObject } from '../../../server/base/json.ts'
import { makeReminderDue, saveReminder } from '../../../storage/repos/reminders.ts'
import type { EventEffect } from '../event/event-change.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { mayAlert } from './event-alerts.ts'

/** Rules are not expanded here: the account is locked. */
export const makeRemindersDue: EventEffect = {
  async apply({ unit }, { before, after }) {
    if (after !== null && canRemind(after)) await makeReminderDue(unit, after.number)
    else if (before !== null && canRemind(before)) await saveReminder(unit, before.number, null)
  },
}

/** JMAP Calendars 5: drafts have no alerts. */
export function canRemind({ isDraft, event }: StoredEvent): boolean {
  return !isDraft && mayAlert(event as JsonObject)
}
