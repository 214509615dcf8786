/** Scheduling messages as mails, for tests. */
import type { InboundMessage } from '../../../../jmap/delivery/inbound-message.ts'
import type { InboundVerdict } from '../../../../jmap/delivery/inbound-verdict.ts'
import type { Result, TestCore, TestMailbox } from '../../../support/core.ts'
import { deliver, placeOf } from '../../delivery/support.ts'

export const ORGANIZER = 'olga@example.org'

/** Lines of a VEVENT, by name with parameters; null leaves one out. */
export interface Lines {
  readonly [name: string]: string | number | null | readonly string[]
}

/** A VEVENT that Olga organizes and to which hello@example.test is invited. */
export function vevent(lines: Lines = {}): string {
  const all: Lines = {
    UID: 'meeting-1@example.org',
    DTSTAMP: '20260101T080000Z',
    SEQUENCE: 0,
    ORGANIZER: `mailto:${ORGANIZER}`,
    'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': 'mailto:hello@example.test',
    'DTSTART;TZID=Europe/Berlin': '20260302T100000',
    'DTEND;TZID=Europe/Berlin': '20260302T110000',
    SUMMARY: 'Planning',
    ...lines,
  }
  const written = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : (Array.isArray(value) ? value : [value]).map((one) => `${name}:${one}`),
  )
  return ['BEGIN:VEVENT', ...written, 'END:VEVENT'].join('\r\n')
}

export function vcalendar(method: string | null, ...events: readonly string[]): string {
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//Test//EN', ...(method ? [`METHOD:${method}`] : [])]
  return [...head, ...events, 'END:VCALENDAR', ''].join('\r\n')
}

export interface Sent {
  readonly from?: string
  readonly headers?: readonly string[]
  /** Content-Type of the calendar part. */
  readonly type?: string
  readonly verdict?: InboundVerdict
}

/** A mail with text and the calendar beside it. */
export function invitation(calendar: string, { from = ORGANIZER, headers = [], type }: Sent = {}): string {
  const method = /METHOD:(\w+)/.exec(calendar)?.[1] ?? 'REQUEST'
  return [
    `From: ${from}`,
    'To: hello@example.test',
    'Subject: Invitation',
    ...headers,
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'You are invited.',
    '--b',
    `Content-Type: ${type ?? `text/calendar; charset=UTF-8; method=${method}`}`,
    '',
    calendar,
    '--b--',
    '',
  ].join('\r\n')
}

/** Delivers a calendar by mail. Resolves with what the trace says of it. */
export async function send(core: TestCore, box: TestMailbox, calendar: string, sent: Sent = {}): Promise<string[]> {
  const { verdict } = sent
  const more: Partial<InboundMessage> = verdict ? { verdict } : {}
  const [result] = await deliver(core, [box], invitation(calendar, sent), more)
  const { words } = await placeOf(box, result.emailId)
  return words.filter((word: string) => word.startsWith('calendar: ')).map((word: string) => word.slice(10))
}

/** All events of the mailbox, in no order. */
export async function eventsOf(box: TestMailbox): Promise<Result[]> {
  return (await box.call('CalendarEvent/get', { ids: null })).list
}

/** The participant with an address. */
export function participant(event: Result, address: string): Result {
  return Object.values(event.participants ?? {}).find((one) => (one as Result).calendarAddress === `mailto:${address}`)
}

/** What the checks of a sender found. */
export function checked(found: {
  readonly dmarc?: 'pass' | 'fail'
  readonly dkim?: 'aligned' | 'other'
}): InboundVerdict {
  const domain = 'example.org'
  const signature = { result: 'pass', domain, selector: 's', algorithm: 'rsa-sha256' } as const
  return {
    client: { address: '192.0.2.1', helo: 'mx.example.org' },
    authentication: {
      spf: { result: 'none', identity: 'mailfrom', domain },
      dkim: found.dkim ? [{ ...signature, aligned: found.dkim === 'aligned' }] : [],
      dmarc: { result: found.dmarc ?? 'none', domain, policy: null, disposition: 'none' },
      arc: { result: 'none', domain: null },
      iprev: { result: 'none', name: null },
    },
  }
}
