/** Words of the mails about events, in the language of the event. They repeat what the calendar says, for people without one. */
import { SCHEDULING_TEXT_MAX_CHARS } from '../../../server/base/scheduling-limits.ts'
import { intervalOf } from '../event/event-times.ts'
import type { MessageSubject, ShownFacts } from '../itip/scheduling-job.ts'

interface Words {
  readonly language: string
  readonly untitled: string
  readonly recurs: string
  readonly subjects: { readonly [subject in MessageSubject]: (title: string, when: string) => string }
  /** @param who the name or address of the sender */
  readonly openings: { readonly [subject in MessageSubject]: (who: string) => string }
}

const ENGLISH: Words = {
  language: 'en',
  untitled: 'Event',
  recurs: 'This event recurs.',
  subjects: {
    invited: (title, when) => `Invitation: ${title}, ${when}`,
    updated: (title, when) => `Updated: ${title}, ${when}`,
    cancelled: (title, when) => `Cancelled: ${title}, ${when}`,
    uninvited: (title, when) => `Cancelled: ${title}, ${when}`,
    accepted: (title, when) => `Accepted: ${title}, ${when}`,
    declined: (title, when) => `Declined: ${title}, ${when}`,
    tentative: (title, when) => `Tentative: ${title}, ${when}`,
    delegated: (title, when) => `Delegated: ${title}, ${when}`,
  },
  openings: {
    invited: (who) => `${who} invites you.`,
    updated: (who) => `${who} has changed this event.`,
    cancelled: (who) => `${who} has cancelled this event.`,
    uninvited: (who) => `${who} has taken you off this event.`,
    accepted: (who) => `${who} accepts.`,
    declined: (who) => `${who} declines.`,
    tentative: (who) => `${who} accepts tentatively.`,
    delegated: (who) => `${who} sends somebody else.`,
  },
}

const GERMAN: Words = {
  language: 'de',
  untitled: 'Termin',
  recurs: 'Dieser Termin wiederholt sich.',
  subjects: {
    invited: (title, when) => `Einladung: ${title}, ${when}`,
    updated: (title, when) => `Geändert: ${title}, ${when}`,
    cancelled: (title, when) => `Abgesagt: ${title}, ${when}`,
    uninvited: (title, when) => `Abgesagt: ${title}, ${when}`,
    accepted: (title, when) => `Zugesagt: ${title}, ${when}`,
    declined: (title, when) => `Abgelehnt: ${title}, ${when}`,
    tentative: (title, when) => `Mit Vorbehalt: ${title}, ${when}`,
    delegated: (title, when) => `Weitergegeben: ${title}, ${when}`,
  },
  openings: {
    invited: (who) => `${who} lädt Sie ein.`,
    updated: (who) => `${who} hat diesen Termin geändert.`,
    cancelled: (who) => `${who} hat diesen Termin abgesagt.`,
    uninvited: (who) => `${who} hat Sie von diesem Termin abgemeldet.`,
    accepted: (who) => `${who} sagt zu.`,
    declined: (who) => `${who} sagt ab.`,
    tentative: (who) => `${who} sagt mit Vorbehalt zu.`,
    delegated: (who) => `${who} schickt jemand anderen.`,
  },
}

export interface Letter {
  readonly subject: string
  readonly paragraphs: readonly string[]
}

/** @param who the name or address of the sender @param zone of the owner, for events without one */
export function letterOf(subject: MessageSubject, shown: ShownFacts, who: string, zone: string): Letter {
  const words = /^de\b/i.test(shown.locale ?? '') ? GERMAN : ENGLISH
  const title = shown.title === null || shown.title.trim() === '' ? words.untitled : shown.title
  const { short, long } = timesOf(words, shown, zone)
  const facts = [title, long, shown.location, shown.video, shown.recurs ? words.recurs : null]
  const texts = [shown.comment, shown.description].map((text) => text?.slice(0, SCHEDULING_TEXT_MAX_CHARS).trim())
  return {
    subject: words.subjects[subject](title, short),
    paragraphs: [
      words.openings[subject](who),
      facts.filter((fact) => fact !== null).join('\n'),
      ...texts.filter((text) => text !== undefined && text !== ''),
    ] as string[],
  }
}

function timesOf({ language }: Words, { start, duration, timeZone, isAllDay }: ShownFacts, zone: string) {
  const at = isAllDay ? 'UTC' : (timeZone ?? zone)
  const interval = intervalOf({ start, duration: duration ?? undefined, timeZone: at }, at)
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'full',
    ...(!isAllDay && { timeStyle: 'short' }),
    timeZone: at,
  })
  const short = format.format(interval.start)
  // The end of a day is the day before.
  const last = Math.max(interval.start, interval.end - (isAllDay ? 1 : 0))
  const range = format.formatRange(interval.start, last)
  return { short, long: isAllDay ? range : `${range} (${at})` }
}
