/** iCalendar texts of at most 10 MB that are made to cost much: each took seconds to minutes, or all memory, at some time. */
export interface ICalendarBomb {
  readonly name: string
  make(): string
}

function calendar(...lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')
}

function event(...lines: readonly string[]): string {
  const start = lines.some((line) => line.startsWith('DTSTART')) ? [] : ['DTSTART:20260101T090000Z']
  const uid = lines.some((line) => line.startsWith('UID')) ? [] : ['UID:bomb']
  return ['BEGIN:VEVENT', ...uid, 'DTSTAMP:20260101T000000Z', ...start, ...lines, 'END:VEVENT'].join('\r\n')
}

const many = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n))
const day = (n: number) => `${new Date(Date.UTC(2026, 0, 1 + n, 9)).toISOString().slice(0, 19).replace(/[:-]/g, '')}Z`
const BIG = 9_000_000

export function icalendarBombs(): ICalendarBomb[] {
  const people = many(5_000, (n) => `ATTENDEE:mailto:p${n}@example.org`)
  return [
    { name: 'line ends', make: () => '\r'.repeat(BIG) },
    { name: 'empty lines', make: () => calendar('\r\n'.repeat(BIG / 2)) },
    { name: 'one long line', make: () => calendar(event(`DESCRIPTION:${'x'.repeat(BIG)}`)) },
    { name: 'folds of one character', make: () => calendar(event(`DESCRIPTION:${'x\r\n '.repeat(300_000)}`)) },
    { name: 'nesting', make: () => 'BEGIN:VCALENDAR\r\n'.repeat(500_000) },
    { name: 'components', make: () => calendar('BEGIN:X\r\nEND:X\r\n'.repeat(500_000)) },
    { name: 'parameters', make: () => calendar(event(`X-A${';A=b'.repeat(BIG / 4)}:x`)) },
    {
      name: 'many long parameters',
      make: () => calendar(event(...many(140, (n) => `X-${n}${';A=b'.repeat(16_000)}:x`))),
    },
    { name: 'values of one line', make: () => calendar(event(`CATEGORIES:${'a,'.repeat(BIG / 2)}`)) },
    { name: 'a rule of many days', make: () => calendar(event(`RRULE:FREQ=DAILY;BYDAY=${'MO,'.repeat(BIG / 3)}MO`)) },
    { name: 'base64 with spaces', make: () => calendar(event(`ATTACH;VALUE=BINARY:A${' '.repeat(BIG)}!`)) },
    {
      name: 'addresses',
      make: () => calendar(event(...many(140, () => `ORGANIZER;SENT-BY="mailto:${'@'.repeat(60_000)} x":a:b`))),
    },
    {
      name: 'names of time zones',
      make: () =>
        calendar(
          ...many(99, (n) => event(`UID:${n}`, `DTSTART;TZID="UTC${' '.repeat(60_000)}^n^n${n}":20260101T000000`)),
        ),
    },
    {
      name: 'exceptions',
      make: () => calendar(event('RRULE:FREQ=DAILY', ...many(25, () => `EXDATE:${many(20_000, day).join(',')}`))),
    },
    {
      name: 'instances that differ',
      make: () =>
        calendar(
          event('RRULE:FREQ=DAILY', ...people),
          ...many(20_000, (n) => event(`RECURRENCE-ID:${day(n)}`, `DTSTART:${day(n)}`, people[0]!)),
        ),
    },
    {
      name: 'instances that are added',
      make: () =>
        calendar(
          event('RRULE:FREQ=DAILY', `RDATE:${many(19_000, day).join(',')}`),
          ...many(19_000, (n) => event(`RECURRENCE-ID:${day(n)}`, `DTSTART:${day(n)}`, 'SUMMARY:x')),
        ),
    },
    {
      name: 'splits',
      make: () =>
        calendar(
          event('RRULE:FREQ=DAILY', ...people.slice(0, 500)),
          ...many(10_000, (n) => event(`RECURRENCE-ID;RANGE=THISANDFUTURE:${day(n)}`, `DTSTART:${day(n)}`, people[0]!)),
        ),
    },
    {
      name: 'rules that never match',
      make: () =>
        calendar(
          ...many(9_000, (n) =>
            event(`UID:${n}`, 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 'EXRULE:FREQ=SECONDLY;COUNT=9999'),
          ),
        ),
    },
    {
      name: 'dense rules',
      make: () => calendar(...many(9_000, (n) => event(`UID:d${n}`, 'RRULE:FREQ=MINUTELY;BYHOUR=1,2,3'))),
    },
    {
      name: 'ten thousand zones',
      make: () => calendar(...many(9_000, (n) => event(`UID:z${n}`, `DTSTART;TZID=Zone/${n}:20260101T000000`))),
    },
    {
      name: 'deep JSPROP',
      make: () => calendar(event(...many(100, (n) => `JSPROP;JSPTR=x${n}:${'['.repeat(60_000)}`))),
    },
  ]
}
