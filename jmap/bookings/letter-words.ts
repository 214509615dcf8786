/** Texts of the mails about bookings, in the languages of the pages. */

import type { MeetingLink } from './booking.ts'

/** Why a mail is sent. `pending`: the invitee must confirm the booking. `linked`: the link of the meeting came after the confirmation. */
export type LetterKind = 'pending' | 'booked' | 'linked' | 'rescheduled' | 'cancelled' | 'reminder'

/** Plain values: what strangers typed is in `name` alone, which is short. */
export interface LetterFacts {
  readonly title: string
  readonly when: string
  readonly timezone: string
  readonly host: string
  readonly name: string
  /** null: the recipient is a guest and cannot manage the booking. */
  readonly link: string | null
}

export interface LetterWords {
  readonly language: string
  readonly subjects: { readonly [kind in LetterKind]: (facts: LetterFacts) => string }
  /** Paragraphs. */
  readonly texts: { readonly [kind in LetterKind]: (facts: LetterFacts) => readonly string[] }
  /** How to take part. */
  readonly meeting: (meeting: NonNullable<MeetingLink>, facts: LetterFacts) => string
}

const ENGLISH: LetterWords = {
  language: 'en',
  subjects: {
    pending: ({ title }) => `Please confirm your booking: ${title}`,
    booked: ({ title, when }) => `Confirmed: ${title}, ${when}`,
    linked: ({ title, when }) => `Link to the meeting: ${title}, ${when}`,
    rescheduled: ({ title, when }) => `Moved: ${title}, ${when}`,
    cancelled: ({ title, when }) => `Cancelled: ${title}, ${when}`,
    reminder: ({ title, when }) => `Reminder: ${title}, ${when}`,
  },
  texts: {
    pending: ({ link }) => [
      'Somebody asked for this time with your address. It is not booked yet.',
      `To confirm the booking, open this page: ${link}`,
      'If it was not you, do nothing.',
    ],
    booked: ({ name, host, link }) =>
      link === null ? [`${name} invites you to a meeting with ${host}.`] : ['Your booking is confirmed.', manage(link)],
    linked: ({ link }) => (link === null ? [] : [manage(link)]),
    rescheduled: ({ link }) =>
      link === null ? ['The meeting has been moved.'] : ['Your booking has been moved.', manage(link)],
    cancelled: ({ link }) => [link === null ? 'The meeting is cancelled.' : 'Your booking is cancelled.'],
    reminder: ({ link }) => ['This meeting is about to take place.', ...(link === null ? [] : [manage(link)])],
  },
  meeting: (meeting, { host }) => {
    if (meeting === 'pending') return 'The link to the meeting follows in another mail.'
    if (meeting === 'failed') return `There is no link to the meeting yet. ${host} will tell you how to take part.`
    return `To take part, open this link: ${meeting.url}`
  },
}

function manage(link: string): string {
  return `To move or cancel it, open this page: ${link}`
}

const GERMAN: LetterWords = {
  language: 'de',
  subjects: {
    pending: ({ title }) => `Bitte bestätigen Sie Ihre Buchung: ${title}`,
    booked: ({ title, when }) => `Gebucht: ${title}, ${when}`,
    linked: ({ title, when }) => `Link zum Treffen: ${title}, ${when}`,
    rescheduled: ({ title, when }) => `Verschoben: ${title}, ${when}`,
    cancelled: ({ title, when }) => `Abgesagt: ${title}, ${when}`,
    reminder: ({ title, when }) => `Erinnerung: ${title}, ${when}`,
  },
  texts: {
    pending: ({ link }) => [
      'Jemand hat mit Ihrer Adresse um diesen Termin gebeten. Er ist noch nicht gebucht.',
      `Zum Bestätigen öffnen Sie bitte diese Seite: ${link}`,
      'Wenn Sie es nicht waren, brauchen Sie nichts zu tun.',
    ],
    booked: ({ name, host, link }) =>
      link === null
        ? [`${name} lädt Sie zu einem Treffen mit ${host} ein.`]
        : ['Ihr Termin ist gebucht.', manageGerman(link)],
    linked: ({ link }) => (link === null ? [] : [manageGerman(link)]),
    rescheduled: ({ link }) =>
      link === null ? ['Das Treffen wurde verschoben.'] : ['Ihr Termin wurde verschoben.', manageGerman(link)],
    cancelled: ({ link }) => [link === null ? 'Das Treffen ist abgesagt.' : 'Ihr Termin ist abgesagt.'],
    reminder: ({ link }) => ['Dieses Treffen steht bevor.', ...(link === null ? [] : [manageGerman(link)])],
  },
  meeting: (meeting, { host }) => {
    if (meeting === 'pending') return 'Der Link zum Treffen folgt in einer weiteren Mail.'
    if (meeting === 'failed')
      return `Es gibt noch keinen Link zum Treffen. ${host} wird Ihnen mitteilen, wie Sie teilnehmen.`
    return `Zum Teilnehmen öffnen Sie bitte diesen Link: ${meeting.url}`
  },
}

function manageGerman(link: string): string {
  return `Zum Verschieben oder Absagen öffnen Sie bitte diese Seite: ${link}`
}

export function letterWords(language: string): LetterWords {
  return language === 'de' ? GERMAN : ENGLISH
}
