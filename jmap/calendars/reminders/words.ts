/** Texts of reminders by mail, in the languages of letters. */

export interface ReminderWords {
  /** For Intl. */
  readonly language: string
  readonly untitled: string
  readonly subject: (title: string, when: string) => string
  readonly when: (when: string) => string
  readonly where: (place: string) => string
  readonly link: (link: string) => string
  readonly allDay: (date: string) => string
  readonly closing: string
  readonly summary: {
    readonly subject: (count: number) => string
    readonly opening: string
    readonly more: (count: number) => string
  }
}

const ENGLISH: ReminderWords = {
  language: 'en',
  untitled: 'Event without a title',
  subject: (title, when) => `Reminder: ${title}, ${when}`,
  when: (when) => `When: ${when}`,
  where: (place) => `Where: ${place}`,
  link: (link) => `Link: ${link}`,
  allDay: (date) => `${date}, all day`,
  closing: 'You get this mail because the event in your calendar has a reminder.',
  summary: {
    subject: (count) => (count === 1 ? 'One more reminder' : `${count} reminders`),
    opening: 'Reminders that could not be sent in time, or are too many to be sent one by one:',
    more: (count) => `and ${count} more`,
  },
}

const GERMAN: ReminderWords = {
  language: 'de',
  untitled: 'Termin ohne Titel',
  subject: (title, when) => `Erinnerung: ${title}, ${when}`,
  when: (when) => `Wann: ${when}`,
  where: (place) => `Wo: ${place}`,
  link: (link) => `Link: ${link}`,
  allDay: (date) => `${date}, ganztägig`,
  closing: 'Sie erhalten diese Mail, weil der Termin in Ihrem Kalender eine Erinnerung hat.',
  summary: {
    subject: (count) => (count === 1 ? 'Eine weitere Erinnerung' : `${count} Erinnerungen`),
    opening: 'Erinnerungen, die nicht rechtzeitig gesendet werden konnten oder für einzelne Mails zu viele sind:',
    more: (count) => `und ${count} weitere`,
  },
}

/** @param language a language tag; null: English */
export function reminderWords(language: string | null): ReminderWords {
  return language?.split('-', 1)[0] === 'de' ? GERMAN : ENGLISH
}
