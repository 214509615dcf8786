import t from 'tap'
import { startCore } from '../../support/core.ts'
import { calendarOf } from './support.ts'

const { mailbox } = await startCore(t)
const hello = await mailbox('hello')

const FILE = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Example//EN
BEGIN:VEVENT
UID:lunch-1
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260302T120000
DURATION:PT1H
SUMMARY:Lunch
RRULE:FREQ=WEEKLY;COUNT=3
X-MOOD:good
END:VEVENT
BEGIN:VEVENT
UID:lunch-1
RECURRENCE-ID;TZID=Europe/Berlin:20260309T120000
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260309T130000
DURATION:PT1H
SUMMARY:Late lunch
END:VEVENT
END:VCALENDAR
`

async function upload(text: string): Promise<string> {
  const data = [{ 'data:asText': text.replaceAll('\n', '\r\n') }]
  return (await hello.call('Blob/upload', { create: { b: { data } } })).created.b.id
}

t.test(
  'CalendarEvent/parse reads iCalendar files, and what it reads can be stored (draft-ietf-jmap-calendars 5.13)',
  async (t) => {
    const [file, other] = [await upload(FILE), await upload('Dear Ada,\nlunch?\n')]
    const parse = (args: object) => hello.call('CalendarEvent/parse', { ...args })
    const { parsed, notFound, notParsable } = await parse({ blobIds: [file, other, 'blb_none'] })
    t.same([notFound, notParsable], [['blb_none'], [other]])
    const [event] = parsed[file]
    t.match(event, {
      '@type': 'Event',
      uid: 'lunch-1',
      title: 'Lunch',
      start: '2026-03-02T12:00:00',
      timeZone: 'Europe/Berlin',
      recurrenceRule: { frequency: 'weekly', count: 3 },
      recurrenceOverrides: { '2026-03-09T12:00:00': { title: 'Late lunch', start: '2026-03-09T13:00:00' } },
    })
    const few = await parse({ blobIds: [file], properties: ['id', 'title', 'calendarIds'] })
    t.same(few.parsed[file], [{ id: null, title: 'Lunch', calendarIds: null }])
    t.same([few.notFound, few.notParsable], [null, null])
    const create = { e: { ...event, calendarIds: { [await calendarOf(hello)]: true } } }
    const { created, notCreated } = await hello.call('CalendarEvent/set', { create })
    t.equal(notCreated, null)
    const { list } = await hello.call('CalendarEvent/get', {
      ids: [created.e.id],
      properties: ['iCalendar', 'recurrenceOverrides'],
    })
    t.match(list[0].recurrenceOverrides['2026-03-09T12:00:00'], { title: 'Late lunch' })
    t.match(JSON.stringify(list[0].iCalendar), /x-mood/)
    t.match(await parse({ blobIds: Array.from({ length: 17 }, (_, i) => `blb_${i}`) }), { type: 'requestTooLarge' })
  },
)
