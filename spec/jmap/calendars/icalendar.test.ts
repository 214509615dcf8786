import t, { type Test } from 'tap'
import { ICalendarError } from '../../../jmap/calendars/icalendar/faults.ts'
import { instanceEvent } from '../../../jmap/calendars/icalendar/instance.ts'
import { openICalendar, type ReadCalendar, readICalendar } from '../../../jmap/calendars/icalendar/read-icalendar.ts'
import { calendarSteps } from '../../../jmap/calendars/icalendar/read-steps.ts'
import { writeICalendar } from '../../../jmap/calendars/icalendar/write-icalendar.ts'
import type { JsonObject } from '../../../server/base/json.ts'

const NOW = '2026-01-01T00:00:00Z'
const PRODID = '-//Posthouse//EN'

/** A calendar with these lines. */
function calendar(...lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')
}

/** A VEVENT with what each needs, and these lines. */
function vevent(...lines: readonly string[]): string[] {
  const has = (name: string) => lines.some((line) => new RegExp(`^${name}[;:]`).test(line))
  return [
    'BEGIN:VEVENT',
    ...(has('UID') ? [] : ['UID:u1']),
    'DTSTAMP:20260102T030405Z',
    ...(has('DTSTART') ? [] : ['DTSTART:20260301T090000Z']),
    ...lines,
    'END:VEVENT',
  ]
}

function read(text: string | Uint8Array): ReadCalendar {
  return readICalendar(text, { now: NOW })
}

/** The only event, after it was found to be the same when it is written and read again. */
function same(t: Test, text: string): JsonObject {
  const first = read(text)
  const second = read(writeICalendar(first.events, { now: NOW, prodId: PRODID }))
  t.same(second.events, first.events, 'the same after writing and reading')
  t.equal(first.events.length, 1)
  return first.events[0] as JsonObject
}

function lines(text: string): string[] {
  return text.replaceAll('\r\n ', '').split('\r\n')
}

t.test('an event with a time zone', async (t) => {
  const event = same(
    t,
    calendar(
      ...vevent(
        'SUMMARY;LANGUAGE=fr:F\u00eate\\, avec \\; et \\n ligne',
        'DTSTART;TZID=Europe/Berlin:20260329T013000',
        'DTEND;TZID=Europe/Berlin:20260329T040000',
        'CREATED:20250101T000000Z',
        'SEQUENCE:3',
        'PRIORITY:5',
        'CLASS:CONFIDENTIAL',
        'TRANSP:TRANSPARENT',
        'STATUS:TENTATIVE',
        'COLOR:maroon',
        'CATEGORIES:one,two',
        'CATEGORIES;LANGUAGE=de:drei',
        'X-FOO;BAR=baz:kept\\, as it stands',
        'COMMENT:said',
      ),
    ),
  )
  t.match(event, {
    title: 'F\u00eate, avec ; et \n ligne',
    locale: 'fr',
    start: '2026-03-29T01:30:00',
    timeZone: 'Europe/Berlin',
    // The clock moves forward by an hour in between.
    duration: 'PT1H30M',
    created: '2025-01-01T00:00:00Z',
    updated: '2026-01-02T03:04:05Z',
    sequence: 3,
    priority: 5,
    privacy: 'secret',
    freeBusyStatus: 'free',
    status: 'tentative',
    color: 'maroon',
    keywords: { one: true, two: true, drei: true },
    iCalendar: {
      convertedProperties: {
        'keywords/drei': { name: 'categories', parameters: { language: 'de' } },
      },
      properties: [
        ['x-foo', { bar: 'baz' }, 'unknown', 'kept\\, as it stands'],
        ['comment', {}, 'text', 'said'],
      ],
    },
  })
})

t.test('whole days, floating times, UTC, and another zone at the end', async (t) => {
  const days = same(t, calendar(...vevent('DTSTART;VALUE=DATE:20260102', 'DTEND;VALUE=DATE:20260107')))
  t.match(days, { start: '2026-01-02T00:00:00', duration: 'P5D', showWithoutTime: true, timeZone: undefined })
  const day = same(t, calendar(...vevent('DTSTART;VALUE=DATE:20260102')))
  t.equal(day['duration'], 'P1D', 'RFC 5545 3.6.1: a date alone takes its day')
  t.match(same(t, calendar(...vevent('DTSTART:20260102T100000', 'DURATION:P1W'))), {
    timeZone: undefined,
    duration: 'P1W',
  })
  t.match(same(t, calendar(...vevent('DTSTART:20260102T100000Z'))), {
    start: '2026-01-02T10:00:00',
    timeZone: 'Etc/UTC',
  })
  const flight = vevent('DTSTART;TZID=Europe/Berlin:20241017T130000', 'DTEND;TZID=Asia/Bangkok:20241018T040000')
  t.match(same(t, calendar(...flight)), { duration: 'PT10H', endTimeZone: 'Asia/Bangkok' })
})

t.test('an end in the hour that comes twice is written as a duration', async (t) => {
  const event = {
    '@type': 'Event',
    uid: 'u',
    updated: NOW,
    start: '2024-10-27T01:30:00',
    timeZone: 'Europe/Berlin',
    duration: 'PT2H',
  }
  const text = writeICalendar([event], { now: NOW, prodId: PRODID })
  t.ok(lines(text).includes('DURATION:PT2H'))
  t.equal(read(text).events[0]?.duration, 'PT2H')
})

t.test('people with all parameters', async (t) => {
  const event = same(
    t,
    calendar(
      ...vevent(
        'ORGANIZER;CN=Jane;SENT-BY="mailto:office@example.com";SCHEDULE-AGENT=CLIENT:mailto:jane@example.com',
        'ATTENDEE;PARTSTAT=ACCEPTED;ROLE=CHAIR:MAILTO:Jane@example.com',
        'ATTENDEE;CN="Doe, ""Bob""";CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;RSVP=TRUE;PARTSTAT=DELEGATED;DELEGATED-TO="mailto:a@example.com","mailto:b@example.com","mailto:c@example.com";MEMBER="mailto:team@example.com";SCHEDULE-STATUS=2.0:mailto:bob@example.com'.replaceAll(
          '""',
          "^'",
        ),
        'ATTENDEE;CUTYPE=ROOM;PARTSTAT=X-MAYBE;DIR="ldap://x/a:b":mailto:room@example.com',
      ),
    ),
  )
  t.equal(event['organizerCalendarAddress'], 'mailto:jane@example.com')
  t.equal(event['sentBy'], 'office@example.com')
  const people = Object.values(event['participants'] as { [key: string]: JsonObject })
  t.match(people, [
    {
      calendarAddress: 'MAILTO:Jane@example.com',
      name: 'Jane',
      participationStatus: 'accepted',
      roles: { owner: true, chair: true },
    },
    {
      name: 'Doe, "Bob"',
      kind: 'individual',
      roles: { optional: true },
      expectReply: true,
      participationStatus: 'delegated',
      delegatedTo: { 'mailto:a@example.com': true, 'mailto:b@example.com': true, 'mailto:c@example.com': true },
      memberOf: { 'mailto:team@example.com': true },
    },
    { kind: 'location', participationStatus: undefined },
  ])
  t.match(event['iCalendar'], {
    convertedProperties: {
      organizerCalendarAddress: { name: 'organizer', parameters: { 'schedule-agent': 'CLIENT' } },
    },
  })
})

t.test('places, conferences, attachments and links', async (t) => {
  const event = same(
    t,
    calendar(
      ...vevent(
        'LOCATION;ALTREP="https://example.com/x":Room 1\\, Floor 2',
        'GEO:37.386013;-122.082932',
        'CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO;LABEL="Chat, code=1":https://chat.example.com/a?id=1',
        'X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij',
        'ATTACH;FMTTYPE=text/plain;FILENAME=a.txt;VALUE=BINARY;ENCODING=BASE64:SGVsbG8=',
        'ATTACH:https://example.com/foo.pdf',
        'ATTACH:https://example.com/foo.pdf',
        'IMAGE;VALUE=URI;DISPLAY=BADGE,THUMBNAIL;FMTTYPE=image/png:https://example.com/i.png',
        'URL:https://example.com/event',
        'BEGIN:VLOCATION',
        'UID:venue-1',
        'NAME:The venue',
        'LOCATION-TYPE:bar,restaurant',
        'STRUCTURED-DATA;VALUE=URI:http://dir.example.com/venue.vcf',
        'END:VLOCATION',
      ),
    ),
  )
  const values = (name: string) => Object.values(event[name] as { [key: string]: JsonObject })
  t.match(values('locations'), [
    { name: 'Room 1, Floor 2', coordinates: 'geo:37.386013,-122.082932' },
    { name: 'The venue', locationTypes: { bar: true, restaurant: true }, iCalendar: { name: 'vlocation' } },
  ])
  t.match(values('virtualLocations'), [
    { name: 'Chat, code=1', uri: 'https://chat.example.com/a?id=1', features: { audio: true, video: true } },
    { uri: 'https://meet.google.com/abc-defg-hij' },
  ])
  t.match(values('links'), [
    { href: 'data:text/plain;base64,SGVsbG8=', contentType: 'text/plain', title: 'a.txt', rel: 'enclosure' },
    { href: 'https://example.com/foo.pdf' },
    { href: 'https://example.com/foo.pdf' },
    { rel: 'icon', display: { badge: true, thumbnail: true } },
    { href: 'https://example.com/event', rel: 'describedby' },
  ])
})

t.test('alarms', async (t) => {
  const event = same(
    t,
    calendar(
      ...vevent(
        'BEGIN:VALARM',
        'UID:a1',
        'TRIGGER;RELATED=END:-PT15M',
        'ACTION:DISPLAY',
        'DESCRIPTION:Wake up',
        'ACKNOWLEDGED:20260301T080000Z',
        'END:VALARM',
        'BEGIN:VALARM',
        'UID:a2',
        'TRIGGER;VALUE=DATE-TIME:20260301T083000Z',
        'RELATED-TO;RELTYPE=SNOOZE:a1',
        'ACTION:EMAIL',
        'SUMMARY:s',
        'DESCRIPTION:d',
        'ATTENDEE:mailto:me@example.com',
        'END:VALARM',
        'BEGIN:VALARM',
        'TRIGGER:-PT5M',
        'ACTION:AUDIO',
        'ATTACH;VALUE=URI:Basso',
        'END:VALARM',
      ),
    ),
  )
  const alerts = event['alerts'] as { [key: string]: JsonObject }
  t.match(alerts['a1'], {
    trigger: { '@type': 'OffsetTrigger', offset: '-PT15M', relativeTo: 'end' },
    action: 'display',
    acknowledged: '2026-03-01T08:00:00Z',
  })
  t.match(alerts['a2'], {
    trigger: { '@type': 'AbsoluteTrigger', when: '2026-03-01T08:30:00Z' },
    action: 'email',
    relatedTo: { a1: { relation: { snooze: true } } },
  })
  t.equal(Object.keys(alerts).length, 3)
})

t.test('a series with its dates and instances', async (t) => {
  const event = same(
    t,
    calendar(
      ...vevent(
        'SUMMARY:Calculus',
        'DTSTART;TZID=Europe/London:20200108T090000',
        'DURATION:PT1H',
        'RRULE:FREQ=WEEKLY;UNTIL=20200624T080000Z;BYDAY=1MO,-1WE;WKST=SU',
        'EXDATE;TZID=Europe/London:20200401T090000',
        'EXDATE:20200408T080000Z',
        'RDATE;VALUE=PERIOD;TZID=Europe/London:20200501T090000/PT2H,20200502T090000/20200502T100000',
      ),
      ...vevent(
        'SUMMARY:Exam',
        'RECURRENCE-ID;TZID=Europe/London:20200624T090000',
        'DTSTART;TZID=Europe/London:20200624T100000',
        'DURATION:PT2H',
      ),
    ),
  )
  t.match(event['recurrenceRule'], {
    frequency: 'weekly',
    until: '2020-06-24T09:00:00',
    firstDayOfWeek: 'su',
    byDay: [
      { day: 'mo', nthOfPeriod: 1 },
      { day: 'we', nthOfPeriod: -1 },
    ],
  })
  t.same(event['recurrenceOverrides'], {
    '2020-04-01T09:00:00': { excluded: true },
    '2020-04-08T09:00:00': { excluded: true },
    '2020-05-01T09:00:00': { duration: 'PT2H' },
    '2020-05-02T09:00:00': { duration: 'PT1H' },
    '2020-06-24T09:00:00': { title: 'Exam', start: '2020-06-24T10:00:00', duration: 'PT2H' },
  })
})

t.test('"this and future" splits a series, in a file and in an invitation', async (t) => {
  const body = [
    ...vevent('DTSTART;TZID=Europe/Berlin:20250106T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'),
    ...vevent(
      'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20250110T090000',
      'DTSTART;TZID=Europe/Berlin:20250110T110000',
      'DURATION:PT1H',
    ),
  ]
  const [first, second] = read(calendar(...body)).events as unknown as JsonObject[]
  t.match(first, { uid: 'u1', recurrenceRule: { until: '2025-01-10T08:59:59' } })
  t.match(second, {
    start: '2025-01-10T11:00:00',
    recurrenceRule: { frequency: 'daily' },
    relatedTo: { u1: { relation: { first: true } } },
  })
  t.match(first?.['relatedTo'], { [String(second?.['uid'])]: { relation: { next: true } } })
  t.same(read(calendar('METHOD:REQUEST', ...body)).events, [first, second])
  const cancelled = read(calendar('METHOD:CANCEL', ...body))
  t.match(cancelled.events, [{ recurrenceOverrides: { '2025-01-10T09:00:00': { start: '2025-01-10T11:00:00' } } }])
  t.equal(cancelled.events.length, 1)
})

t.test('changes of "this and future" that follow each other, also backwards and to other days', async (t) => {
  const change = (id: string, start: string) =>
    vevent(`RECURRENCE-ID;RANGE=THISANDFUTURE:${id}T090000Z`, `DTSTART:${start}Z`, 'DURATION:PT1H')
  const daily = vevent('DTSTART:20250106T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY')
  const twice = [...change('20250110', '20250110T080000'), ...change('20250115', '20250115T100000')]
  t.match(read(calendar(...daily, ...twice)).events, [
    { recurrenceRule: { until: '2025-01-10T08:59:59' } },
    { start: '2025-01-10T08:00:00', recurrenceRule: { until: '2025-01-15T07:59:59' } },
    { start: '2025-01-15T10:00:00', recurrenceRule: { until: undefined } },
  ])
  const weekly = (rule: string) => vevent('DTSTART:20250106T090000Z', `RRULE:FREQ=WEEKLY;${rule}`)
  const tuesday = change('20250120', '20250121T090000')
  t.match(read(calendar(...weekly('BYDAY=MO;UNTIL=20250203T090000Z'), ...tuesday)).events, [
    { recurrenceRule: { until: '2025-01-20T08:59:59' } },
    { start: '2025-01-21T09:00:00', recurrenceRule: { byDay: [{ day: 'tu' }], until: '2025-02-04T09:00:00' } },
  ])
  t.match(read(calendar(...weekly('BYDAY=MO,TH;INTERVAL=2'), ...tuesday)).events, [
    {},
    { recurrenceRule: { byDay: [{ day: 'tu' }, { day: 'fr' }], interval: 2, firstDayOfWeek: 'tu' } },
  ])
  const unsplit = read(calendar(...weekly('BYDAY=MO,TH;BYMONTH=1,2'), ...tuesday))
  t.match(unsplit.events, [{ recurrenceOverrides: { '2025-01-20T09:00:00': { start: '2025-01-21T09:00:00' } } }])
  t.match(unsplit.faults, [{ text: 'RANGE=THISANDFUTURE is kept, but only this instance changes.' }])
})

t.test('"this and future" of a counted series goes on with the rest of the count', async (t) => {
  const [first, second] = read(
    calendar(
      ...vevent('DTSTART:20250106T090000Z', 'RRULE:FREQ=DAILY;COUNT=10'),
      ...vevent('RECURRENCE-ID;RANGE=THISANDFUTURE:20250110T090000Z', 'DTSTART:20250110T110000Z'),
    ),
  ).events
  t.match(
    [first, second],
    [{ recurrenceRule: { until: '2025-01-10T08:59:59', count: undefined } }, { recurrenceRule: { count: 6 } }],
  )
})

t.test('further rules become dates, if they end', async (t) => {
  const series = ['DTSTART:20250106T090000Z', 'RRULE:FREQ=DAILY;COUNT=4']
  const event = same(t, calendar(...vevent(...series, 'EXRULE:FREQ=DAILY;INTERVAL=2', 'RRULE:FREQ=YEARLY;COUNT=2')))
  t.same(event['recurrenceOverrides'], {
    '2026-01-06T09:00:00': {},
    '2025-01-06T09:00:00': { excluded: true },
    '2025-01-08T09:00:00': { excluded: true },
  })
})

t.test('an instance that no rule produces is written with its date', async (t) => {
  const recurrenceOverrides = { '2025-01-07T09:00:00': { title: 'a' }, '2025-01-07T20:00:00': { title: 'b' } }
  const event = {
    '@type': 'Event',
    uid: 'u',
    updated: NOW,
    start: '2025-01-06T09:00:00',
    recurrenceRule: { frequency: 'daily' },
    recurrenceOverrides,
  }
  const text = writeICalendar([event], { now: NOW, prodId: PRODID })
  t.same(
    lines(text).filter((line) => line.startsWith('RDATE')),
    ['RDATE:20250107T200000'],
  )
  t.same(read(text).events[0]?.recurrenceOverrides, recurrenceOverrides)
})

t.test('instances without their series stand alone', async (t) => {
  const { events } = read(
    calendar(
      ...vevent('RECURRENCE-ID;TZID=Europe/Berlin:20240202T140000', 'DTSTART;TZID=Europe/Berlin:20240202T160000'),
      ...vevent('RECURRENCE-ID;TZID=Europe/Berlin:20240103T140000', 'DTSTART;TZID=Europe/Berlin:20240103T170000'),
    ),
  )
  t.match(events, [
    { recurrenceId: '2024-02-02T14:00:00', recurrenceIdTimeZone: 'Europe/Berlin', start: '2024-02-02T16:00:00' },
    { recurrenceId: '2024-01-03T14:00:00' },
  ])
})

const BERLIN = [
  'BEGIN:VTIMEZONE',
  'TZID:Custom',
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
]

t.test('names of time zones', async (t) => {
  for (const [tzid, zone] of [
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['/mozilla.org/20050126_1/Europe/Vienna', 'Europe/Vienna'],
    ['/freeassociation.sourceforge.net/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['"(GMT+10:00) Canberra, Melbourne, Sydney"', 'Australia/Sydney'],
    ['"(UTC-05:00) Eastern Time (US & Canada)"', 'America/New_York'],
    ['GMT+0300', 'Etc/GMT-3'],
    ['Nowhere/Land', undefined],
  ] as const) {
    const { events, faultCount } = read(calendar(...vevent(`DTSTART;TZID=${tzid}:20260301T090000`)))
    t.match(events, [{ start: '2026-03-01T09:00:00', timeZone: zone }], tzid)
    t.equal(faultCount, zone === undefined ? 1 : 0, `${tzid}: faults`)
  }
  const custom = read(calendar(...BERLIN, ...vevent('DTSTART;TZID=Custom:20260701T090000')))
  t.match(custom.events, [{ timeZone: 'Europe/Berlin' }], 'found by its rules')
  const odd = BERLIN.map((line) => line.replace('TO:+0200', 'TO:+0217').replace('FROM:+0200', 'FROM:+0217'))
  const unknown = read(calendar(...odd, ...vevent('DTSTART;TZID=Custom:20260701T090000')))
  t.match(
    unknown.events,
    [{ start: '2026-07-01T06:43:00', timeZone: 'Etc/UTC' }],
    'rules that no zone has: the instant is right',
  )
})

t.test('written text: folded at 75 octets, escaped, with its time zones', async (t) => {
  const title = `${'\u00e9'.repeat(60)}, ; \\ end`
  const event = {
    '@type': 'Event',
    uid: 'u',
    updated: NOW,
    title,
    start: '2026-07-01T09:00:00',
    timeZone: 'Europe/Berlin',
    duration: 'PT1H',
  }
  const text = writeICalendar([event, { ...event, uid: 'v', timeZone: 'Africa/Casablanca' }], {
    now: NOW,
    prodId: PRODID,
    method: 'request',
  })
  t.ok(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))
  t.ok(lines(text).includes(`SUMMARY:${'\u00e9'.repeat(60)}\\, \\; \\\\ end`))
  t.ok(lines(text).includes('METHOD:REQUEST'))
  t.ok(lines(text).includes('DTEND;TZID=Europe/Berlin:20260701T100000'), 'an end in place of a duration')
  t.ok(lines(text).includes('RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU'))
  t.match(read(text).events, [{ title }, { timeZone: 'Africa/Casablanca' }])
  t.equal(read(text).method, 'request')
  // The VTIMEZONE alone gives the zone back.
  const renamed = text.replaceAll('Europe/Berlin', 'Own-1').replaceAll('Africa/Casablanca', 'Own-2')
  t.match(read(renamed).events, [{ timeZone: 'Europe/Berlin' }, { timeZone: /Casablanca|El_Aaiun/ }])
})

t.test('one instance is written for a message about it', async (t) => {
  const series: JsonObject = {
    '@type': 'Event',
    uid: 'u',
    updated: NOW,
    title: 'Daily',
    start: '2026-01-05T09:00:00',
    timeZone: 'Europe/Berlin',
    duration: 'PT1H',
    recurrenceRule: { frequency: 'daily' },
    recurrenceOverrides: { '2026-01-07T09:00:00': { title: 'Other' }, '2026-01-08T09:00:00': { excluded: true } },
  }
  t.equal(instanceEvent(series, '2026-01-08T09:00:00'), null)
  const instance = instanceEvent(series, '2026-01-07T09:00:00')
  const text = writeICalendar([instance!], { now: NOW, prodId: PRODID, method: 'CANCEL' })
  t.ok(lines(text).includes('RECURRENCE-ID;TZID=Europe/Berlin:20260107T090000'))
  t.notMatch(text, /^RRULE:FREQ=DAILY/m)
  t.match(read(text).events, [
    { title: 'Other', recurrenceId: '2026-01-07T09:00:00', recurrenceIdTimeZone: 'Europe/Berlin' },
  ])
})

t.test('an override changes no uid, and one of its paths that leads nowhere spoils no other', async (t) => {
  const at = '2026-01-12T09:00:00'
  const event = {
    '@type': 'Event',
    uid: 'u',
    updated: NOW,
    start: '2026-01-05T09:00:00',
    recurrenceRule: { frequency: 'weekly' },
    recurrenceOverrides: { [at]: { title: 'Late', uid: 'other', 'participants/gone/name': 'x' } },
  }
  const text = writeICalendar([event], { now: NOW, prodId: PRODID })
  t.same(
    [...text.matchAll(/^(UID|SUMMARY):(.*)\r$/gm)].map(([line]) => line.trim()),
    ['UID:u', 'UID:u', 'SUMMARY:Late'],
  )
  t.match(instanceEvent(event, at), { uid: 'u', title: 'Late', recurrenceId: at })
})

t.test('what a client writes into an event begins no line of its own', async (t) => {
  const event = {
    '@type': 'Event',
    uid: 'u\r\nATTENDEE:mailto:x@example.com',
    updated: NOW,
    start: '2026-01-05T09:00:00',
    title: 'a\rATTENDEE:mailto:x@example.com',
    links: {
      l: { href: 'https://x/\r\nATTENDEE:mailto:x@example.com', title: 'b\u0000\nATTENDEE:mailto:x@example.com' },
    },
    iCalendar: {
      name: 'vevent\r\nATTENDEE',
      properties: [
        ['x-foo\r\nATTENDEE', {}, 'unknown', 'v'],
        [
          'x-foo',
          { 'p\r\nATTENDEE': 'v', q: 'v\r\nATTENDEE:mailto:x@example.com' },
          'unknown',
          'v\r\nATTENDEE:mailto:x@example.com',
        ],
        ['x-foo', {}, 'uri\r\nATTENDEE', 'v'],
        ['end', {}, 'text', 'VEVENT'],
        ['x-list', {}, 'date-time', { not: 'a date' }],
      ],
      components: [
        ['x\r\nATTENDEE', [], []],
        ['x-c', [['x-p', {}, 'text', 'v\r\nATTENDEE:mailto:x@example.com']], []],
      ],
    },
    'example.com:x': 'c\r\nATTENDEE:mailto:x@example.com',
  }
  const text = writeICalendar([event], { now: NOW, prodId: PRODID })
  t.notMatch(text, /^ATTENDEE/m)
  t.same(read(text).events[0]?.participants, undefined)
  t.equal(read(text).events[0]?.title, 'a\nATTENDEE:mailto:x@example.com', 'control: the text is there')
})

t.test('JSPROP keeps what iCalendar has not, and sets nothing of this server', async (t) => {
  const event = {
    '@type': 'Event',
    uid: 'u',
    updated: NOW,
    start: '2026-01-05T09:00:00',
    mayInviteSelf: true,
    'example.com:foo': { bar: [1, 'x'] },
  }
  const text = writeICalendar([event], { now: NOW, prodId: PRODID })
  t.match(read(text).events, [event])
  const hostile = read(
    calendar(
      ...vevent(
        'JSPROP;JSPTR="calendarIds":{"a":true}',
        'JSPROP;JSPTR="__proto__/x":1',
        'JSPROP;JSPTR="title":"later"',
        'JSPROP;JSPTR="example.com:bad":{',
        'SUMMARY:first',
      ),
    ),
  )
  t.match(hostile.events, [{ title: 'first', calendarIds: undefined }])
  t.equal(({} as JsonObject)['x'], undefined)
})

t.test('roles and people that iCalendar has no words for are kept in files, and not in messages', async (t) => {
  const participants = {
    owner: { calendarAddress: 'mailto:o@example.com', roles: { owner: true, attendee: true } },
    plain: { calendarAddress: 'mailto:p@example.com', roles: { attendee: true } },
    several: {
      calendarAddress: 'mailto:s@example.com',
      roles: { optional: true, attendee: true, 'example.com:a/b': true },
    },
    nobody: { calendarAddress: 'mailto:n@example.com' },
    placeless: { name: 'Ada', email: 'ada@example.com', kind: 'individual', roles: { attendee: true, chair: true } },
    // Names that every object of JavaScript has are words of no property.
    odd: { calendarAddress: 'mailto:x@example.com', kind: 'constructor', roles: { toString: true, valueOf: true } },
  }
  const event = {
    '@type': 'Event',
    uid: 'u',
    updated: NOW,
    start: '2026-01-05T09:00:00',
    organizerCalendarAddress: 'mailto:o@example.com',
    participants: Object.fromEntries(
      Object.entries(participants).map(([key, person]) => [key, { '@type': 'Participant', ...person }]),
    ),
  }
  const text = writeICalendar([event], { now: NOW, prodId: PRODID })
  const [again] = read(text).events as unknown as { participants: { [key: string]: JsonObject } }[]
  for (const [key, person] of Object.entries(participants)) {
    const { iCalendar: _kept, ...shown } = again!.participants[key]!
    t.same(shown, { '@type': 'Participant', ...person }, key)
  }
  t.notMatch(text, /native code/)
  t.match(text, /JSPROP/, 'control')
  const message = writeICalendar([event], { now: NOW, prodId: PRODID, method: 'REQUEST' })
  t.notMatch(message, /JSPROP|native code/)
})

function manyEvents(count: number, linesOf: (n: number) => string[]): string[] {
  return Array.from({ length: count }, (_, n) => vevent(`UID:u${n}`, ...linesOf(n))).flat()
}

t.test('work that a text may cause is bounded', async (t) => {
  // Each of these took seconds to minutes before it was bounded.
  const observance = [
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0117',
    'TZOFFSETTO:+0118',
    'END:STANDARD',
  ]
  const zone = ['BEGIN:VTIMEZONE', 'TZID:Z', ...Array.from({ length: 401 }, () => observance).flat(), 'END:VTIMEZONE']
  t.match(read(calendar(...zone, ...vevent('DTSTART;TZID=Z:20260101T000000'))).faults, [{ text: /'Z' is not known/ }])
  const bomb = 'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30;COUNT=10'
  const bombs = read(calendar(...manyEvents(20, () => [`RRULE:${bomb}`, `EXRULE:${bomb}`])))
  t.equal(bombs.events.length, 20)
  t.equal(bombs.faultCount, 20)
  const day = (n: number, hour: number) =>
    `${new Date(Date.UTC(2026, 0, n, hour)).toISOString().slice(0, 19).replace(/[:-]/g, '')}Z`
  const changes = Array.from({ length: 40 }, (_, n) =>
    vevent(`RECURRENCE-ID;RANGE=THISANDFUTURE:${day(n + 2, 9)}`, `DTSTART:${day(n + 2, 10)}`),
  )
  const split = read(calendar(...vevent('DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY'), ...changes.flat()))
  t.equal(split.events.length, 21)
  t.equal(split.faultCount, 20, 'the others change one instance')

  // Regular expressions that looked at the same characters again and again.
  t.throws(() => read('\r'.repeat(1_000_000)), { message: /no VCALENDAR/ })
  const spaces = ' '.repeat(300_000)
  t.match(read(calendar(...vevent(`ATTACH;VALUE=BINARY;ENCODING=BASE64:A${spaces}!`))).faults, [{ text: /no binary/ }])
  read(calendar(...vevent(`ORGANIZER;SENT-BY="mailto:${'@'.repeat(60_000)} x":mailto:a@example.org`)))
  const zones = Array.from({ length: 90 }, (_, n) => `DTSTART;TZID="UTC${' '.repeat(60_000)}^n^n${n}":20260101T000000`)
  t.equal(read(calendar(...zones.flatMap((line) => vevent(line)))).faultCount > 0, true)
  for (const line of ['CATEGORIES:', 'RRULE:FREQ=DAILY;BYDAY=', 'REQUEST-STATUS:'])
    t.ok(textOrFault(calendar(...vevent(line + 'MO,'.repeat(300_000)))), line)
  const manyDates = `EXDATE:${Array.from({ length: 19_000 }, (_, n) => day(n + 2, 9)).join(',')}`
  const exceptions = Array.from({ length: 25 }, () => manyDates)
  t.match(read(calendar(...vevent('RRULE:FREQ=DAILY', ...exceptions))).faults, [{ text: 'More than 20000 dates.' }])
  // Each instance may differ from its series in all of it.
  const people = Array.from({ length: 5_000 }, (_, n) => `ATTENDEE:mailto:p${n}@example.org`)
  const instances = Array.from({ length: 5_000 }, (_, n) =>
    vevent(`RECURRENCE-ID:${day(n + 2, 9)}`, `DTSTART:${day(n + 2, 10)}`, people[0]!),
  )
  const series = vevent('DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY', ...people)
  t.throws(() => read(calendar(...series, ...instances.flat())), { message: /differ from it in too much/ })
  t.equal(read(calendar(...series, ...instances.slice(0, 20).flat())).events.length, 1, 'control')
  const added = Array.from({ length: 6_000 }, (_, n) => day(n + 2, 9))
  const moved = added.flatMap((date) => vevent(`RECURRENCE-ID:${date}`, `DTSTART:${date}`, 'SUMMARY:x'))
  const dates = vevent('DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY', `RDATE:${added.join(',')}`)
  t.equal(Object.keys(read(calendar(...dates, ...moved)).events[0]!.recurrenceOverrides ?? {}).length, 6_000)
})

t.test('a calendar in steps: a few events each, costly ones alone, and a bounded sum', async (t) => {
  const stepsOf = (...events: readonly string[][]) => {
    const { steps, ...rest } = calendarSteps(openICalendar(calendar(...events.flat()), { now: NOW }))
    return {
      ...rest,
      uids: steps.map((step) => JSON.parse(Buffer.from(step).toString()).map(({ uid }: JsonObject) => uid)),
    }
  }
  const many = Array.from({ length: 45 }, (_, n) => vevent(`UID:${n}`, 'RRULE:FREQ=WEEKLY'))
  t.same(
    stepsOf(...many).uids.map((uids) => uids.length),
    [20, 20, 5],
  )
  const costly = 'RRULE:FREQ=SECONDLY;COUNT=999999999'
  t.same(stepsOf(vevent('UID:a'), vevent('UID:b', costly), vevent('UID:c')).uids, [['a'], ['b'], ['c']])
  const bombs = stepsOf(...Array.from({ length: 120 }, (_, n) => vevent(`UID:${n}`, costly)), vevent('UID:plain'))
  t.ok(bombs.count > 50 && bombs.leftOut > 0, `${bombs.count} in steps, ${bombs.leftOut} not`)
  t.match(bombs.failures.at(-1), { uid: '119', message: /cost too much/ })
  t.same(bombs.uids.at(-1), ['plain'], 'an event without a rule costs nothing')
})

/** What becomes of a text that is made to cost much. */
function textOrFault(text: string): string {
  try {
    return JSON.stringify(read(text).events)
  } catch (error) {
    if (error instanceof ICalendarError) return error.message
    throw error
  }
}

t.test('durations are read as they are found, and written as the standards have them', async (t) => {
  for (const [found, duration] of [
    ['PT1H30S', 'PT1H0M30S'],
    ['P1W2D', 'P9D'],
    ['P2W', 'P2W'],
    ['P1DT', 'P1D'],
    ['+PT15M', 'PT15M'],
    ['-PT0S', 'PT0S'],
  ] as const)
    t.equal(read(calendar(...vevent(`DURATION:${found}`))).events[0]!.duration, duration, found)
  const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:x', 'TRIGGER:-PT1H30S', 'END:VALARM']
  t.match(Object.values(read(calendar(...vevent(...alarm))).events[0]!.alerts ?? {}), [
    { trigger: { offset: '-PT1H0M30S' } },
  ])
  t.match(read(calendar(...vevent('DURATION:PT'))).faults, [{ text: /DURATION is no duration/ }])
})

t.test('UNTIL in the second passing of an hour includes all of its first passing', async (t) => {
  const until = (text: string) => {
    const rule = [`DTSTART;TZID=Europe/Berlin:20261020T023000`, `RRULE:FREQ=DAILY;UNTIL=${text}`]
    const { events } = read(calendar(...vevent(...rule)))
    const again = read(writeICalendar(events, { now: NOW, prodId: 'x' })).events
    t.same(again, events, 'it is written so that it is read again')
    return events[0]!.recurrenceRule?.until
  }
  t.equal(until('20261025T011500Z'), '2026-10-25T02:59:59', 'a quarter past two, winter time: half past two was before')
  t.equal(until('20261025T001500Z'), '2026-10-25T02:15:00', 'control: summer time')
  t.equal(until('20261025T020000Z'), '2026-10-25T03:00:00', 'control: after it')
})

t.test('reading ends when its check throws', async (t) => {
  const stop = new Error('stop')
  const check = () => {
    throw stop
  }
  t.throws(() => readICalendar(calendar(...vevent()), { now: NOW, check }), stop)
})

t.test('what cannot be read is said in words', async (t) => {
  for (const [text, words] of [
    ['', /no VCALENDAR/],
    ['hello', /no VCALENDAR/],
    ['BEGIN:VCARD\r\nEND:VCARD', /begins with VCARD/],
    ['BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR', /VEVENT of line 2 is open/],
    ['BEGIN:VCALENDAR\r\n', /VCALENDAR of line 1 has no end/],
    [`BEGIN:VCALENDAR\r\n${'BEGIN:X\r\n'.repeat(20)}`, /inside of 8 others/],
    [`BEGIN:VCALENDAR\r\n${'BEGIN:X\r\nEND:X\r\n'.repeat(70_000)}`, /more than 60000 components/],
    [calendar(...vevent(`EXDATE:${'20260101T000000Z,'.repeat(30_000)}20260101T000000Z`)), /more than 20000 values/],
    [calendar('CALSCALE:HEBREW'), /HEBREW is not supported/],
    [
      calendar(...manyEvents(101, (n) => [`DTSTART;TZID="(UTC+01:00) Berlin, ${n}":20260101T000000`])),
      /more than 100 time zones/,
    ],
  ] as const) {
    t.throws(() => read(text), { name: 'ICalendarError', message: words })
    t.throws(() => read(text), ICalendarError)
  }
  for (const [line, words] of [
    ['DTSTART:20260230T000000Z', /no DTSTART that can be read/],
    ['DTSTART:garbage', /no DTSTART that can be read/],
    ['STATUS:CONFIRMED\r\nSTATUS:CANCELLED', /STATUS stands twice/],
    ['RRULE:FREQ=NEVER', /FREQ of RRULE is wrong/],
    ['RRULE:BYDAY=MO', /no FREQ/],
    ['DTEND:20200101T000000Z', /DTEND is before DTSTART/],
    ['PRIORITY:high', /PRIORITY is no integer/],
    ['a line without a colon', /no colon/],
    ['X;Y="open:z', /open quotation mark/],
    ['EXRULE:FREQ=HOURLY', /EXRULE is kept, but it has no effect/],
  ] as const) {
    t.match(read(calendar(...vevent(line))).faults.at(-1)?.text, words, line)
  }
  const task = read(calendar('BEGIN:VTODO', 'UID:t', 'END:VTODO', ...vevent()))
  t.match(task, {
    events: [{ uid: 'u1' }],
    faults: [{ scope: 'component', line: 4, text: 'VTODO is no event and is left out.' }],
  })
})

t.test('octets: folds inside of characters, old charsets, byte order marks, line ends', async (t) => {
  const text = calendar(...vevent('SUMMARY:Caf\u00e9'))
  const octets = Buffer.from(text)
  const at = octets.indexOf(0xc3) + 1
  const folded = Buffer.concat([octets.subarray(0, at), Buffer.from('\r\n '), octets.subarray(at)])
  const title = (input: Uint8Array | string) => read(input).events[0]?.title
  t.equal(title(folded), 'Caf\u00e9')
  t.equal(title(Buffer.from(text, 'latin1')), 'Caf\u00e9')
  t.equal(title(Buffer.from(`\ufeff${text}`)), 'Caf\u00e9')
  t.equal(title(Buffer.from(`\ufeff${text}`, 'utf16le')), 'Caf\u00e9')
  t.equal(title(text.replaceAll('\r\n', '\n')), 'Caf\u00e9')
  t.equal(title(text.replaceAll('\r\n', '\r')), 'Caf\u00e9')
})
