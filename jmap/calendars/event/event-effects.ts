/**
 * What follows from a change of an event, one line each. An effect sees the event before and after the change (event-change.ts) inside
 * its unit of work: it may refuse the change, and record what is to be done after the commit, such as messages to participants.
 */
import { keepMeeting } from '../conferencing/keep-meeting.ts'
import { notifyOfChange } from '../event-notification/notify-of-change.ts'
import { makeRemindersDue } from '../reminders/make-due.ts'
import { sendMessages } from '../scheduling/outgoing-effect.ts'
import type { EventEffect } from './event-change.ts'
import { reportChange } from './report-change.ts'

export const EVENT_EFFECTS: readonly EventEffect[] = [
  keepMeeting,
  notifyOfChange,
  sendMessages,
  reportChange,
  makeRemindersDue,
]
