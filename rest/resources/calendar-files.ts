/** iCalendar files of whole calendars (decision D32). */
import { CalendarEventExport, CalendarEventImport } from '../../jmap/calendars/exchange/exchange.type.ts'
import { asBuffer } from '../../jmap/message/charset.ts'
import type { AnswerOf } from '../../jmap/type/method-declaration.ts'
import { IMPORT_MAX_BYTES, IMPORT_MAX_EVENTS, IMPORT_MAX_FAILURES } from '../../server/base/calendar-exchange-limits.ts'
import { checkCalendar, openCalendar } from '../calendar/open-calendar.ts'
import { call } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { endpoint } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'
import { mailbox, TAG } from './calendar-events.ts'

const ICALENDAR = 'text/calendar'

const CalendarImport = s.resource('CalendarImport', 'calendar_import', {
  mailbox: s.string({ description: "Address of the calendar's owner.", examples: ['ada@example.com'] }),
  calendar_id: s.id('cal_aaaaaaaaayaaaaaaaaaacwhgpxra', 'The calendar that new events are in.'),
  created: s.integer({ examples: [12] }),
  updated: s.integer({ description: 'The file had newer ones.', examples: [3] }),
  skipped: s.integer({ description: 'The mailbox has them as new as the file, or newer.', examples: [40] }),
  failed: s.array(
    s.object({
      uid: s.nullable(s.string({ examples: ['lunch-1@example.org'] })),
      message: s.string({ examples: ['Line 12: The VEVENT has no DTSTART that can be read.'] }),
    }),
    { description: `The first ${IMPORT_MAX_FAILURES} of those that could not be imported.` },
  ),
  failed_count: s.integer({ description: 'All of those.', examples: [1] }),
})

export const exportCalendar = endpoint({
  method: 'GET',
  path: '/v1/calendar/ics',
  operationId: 'exportCalendar',
  tag: TAG,
  summary: 'Export a calendar as an iCalendar file',
  description: 'All events, with their time zones. Programs that subscribe should use a feed.',
  scope: 'calendar:read',
  query: s.object({
    mailbox,
    calendar_id: s.optional(s.string({ description: 'Only events of this calendar. Default: of all calendars.' })),
  }),
  textType: ICALENDAR,
  errors: ['not_found', 'mailbox_access_denied'],
  async stream(input, jmap) {
    const { mailbox: address, calendar_id: given } = input.query
    const calendar = await openCalendar(input, jmap, address)
    const calendarId = given === undefined ? null : checkCalendar(calendar, given)
    const asked = { accountId: calendar.mailbox.id, calendarId }
    const { first } = await jmap.call({ first: call(CalendarEventExport, asked) })
    return {
      type: `${ICALENDAR}; charset=utf-8`,
      name: `${first.name ?? calendar.mailbox.address}.ics`,
      tag: `${calendarId ?? asked.accountId}.${first.state}`,
      pages: textPages(jmap, asked, first),
    }
  },
})

type Page = AnswerOf<typeof CalendarEventExport>

async function* textPages(
  jmap: JmapClient,
  asked: { readonly accountId: string; readonly calendarId: string | null },
  first: Page,
): AsyncGenerator<string> {
  let page = first
  yield page.text
  while (page.next !== null) {
    const answers = await jmap.call({ page: call(CalendarEventExport, { ...asked, after: page.next }) })
    page = answers.page
    yield page.text
  }
}

export const importCalendar = endpoint({
  method: 'POST',
  path: '/v1/calendar/ics',
  operationId: 'importCalendar',
  tag: TAG,
  summary: 'Import an iCalendar file',
  description: [
    'Events whose uid the mailbox has are updated if the file has newer ones, else skipped: importing a file again changes nothing.',
    'They stay in their calendars. Nobody is invited. After a failure the same request goes on.',
  ].join(' '),
  scope: 'calendar:write',
  query: s.object({
    mailbox,
    calendar_id: s.optional(
      s.string({ description: 'The calendar of new events. Default: the default calendar of the mailbox.' }),
    ),
  }),
  body: s.octets(`An iCalendar text of at most ${IMPORT_MAX_BYTES} octets and ${IMPORT_MAX_EVENTS} events.`),
  bodyType: ICALENDAR,
  bodyLimit: IMPORT_MAX_BYTES,
  response: CalendarImport,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { mailbox: address, calendar_id: given } = input.query
    const calendar = await openCalendar(input, jmap, address)
    const calendarId = given === undefined ? null : checkCalendar(calendar, given)
    const { done } = await jmap.call({
      done: call(CalendarEventImport, {
        accountId: calendar.mailbox.id,
        calendarId,
        'data:asBase64': asBuffer(input.body).toString('base64'),
      }),
    })
    if (done.refused !== null) throw invalid(null, 'invalid_format', done.refused)
    const { created, updated, skipped, failed, failures } = done
    return {
      object: 'calendar_import' as const,
      mailbox: calendar.mailbox.address,
      calendar_id: done.calendarId,
      created,
      updated,
      skipped,
      failed: failures,
      failed_count: failed,
    }
  },
})

export const calendarFileEndpoints = [exportCalendar, importCalendar]
