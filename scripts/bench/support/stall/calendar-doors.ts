/** The ways of a recurrence into the server: each takes a `CalendarBomb` as JSON, and returns the result in a word. */
import type { Ready } from '../posthouse.ts'
import type { CalendarBomb } from './calendar-bombs.ts'
import { bySmtp, type Door, send } from './doors.ts'

type Answer = { readonly [name: string]: unknown }

const USING = ['core', 'mail', 'calendars', 'calendars:parse', 'principals', 'principals:availability'].map(
  (name) => `urn:ietf:params:jmap:${name}`,
)

/** Windows of queries: the longest, now and at the end of time. */
const YEARS = [
  { after: '2026-01-01T00:00:00', before: '2027-01-01T00:00:00' },
  { after: '9998-01-01T00:00:00', before: '9999-01-01T00:00:00' },
]
const DAYS = { from: '2026-01-01T00:00:00Z', to: '2026-03-04T00:00:00Z' }

export async function calendarDoors(server: Ready): Promise<Door[]> {
  const jmap = new CalendarJmap(server)
  const calendar = await jmap.calendar()
  const withEvent = async (message: Buffer, use: () => Promise<string>) => {
    const made = await jmap.create(bombOf(message), calendar)
    if (!made.id) return made.outcome
    try {
      return await use()
    } finally {
      await jmap.call('CalendarEvent/set', { destroy: [made.id] })
    }
  }
  return [
    { name: 'CalendarEvent/set', take: (message) => withEvent(message, async () => 'created') },
    { name: 'CalendarEvent/query', take: (message) => withEvent(message, () => jmap.expand()) },
    {
      name: 'availability',
      take: (message) =>
        withEvent(message, async () => {
          const query = `mailbox=${encodeURIComponent(server.mailbox.address)}&from=${DAYS.from}&to=${DAYS.to}`
          const url = `${server.http}/api/v1/calendar/availability?${query}`
          const { status } = await send(url, `Bearer ${server.api_key}`)
          return `${status}, ${await jmap.availability()}`
        }),
    },
    { name: 'CalendarEvent/parse', take: (message) => jmap.parse(Buffer.from(bombOf(message).ics, 'latin1')) },
    { name: 'import', take: (message) => importFile(server, ownFile(message)) },
    {
      name: 'invitation',
      take: (message) => bySmtp(server.smtp.port, server.mailbox.address, invitation(server, message)),
    },
    { name: 'gathered', take: gathering(jmap, calendar) },
  ]
}

/** Events that stay: of so many, the calendar of all that came before is asked for. */
const ASKED_EVERY = 50

function gathering(jmap: CalendarJmap, calendar: string): Door['take'] {
  let taken = 0
  return async (message) => {
    const { outcome } = await jmap.create(bombOf(message), calendar)
    return ++taken % ASKED_EVERY === 0 ? `${await jmap.expand()}, ${await jmap.availability()}` : outcome
  }
}

async function importFile({ http, mailbox, api_key }: Ready, ics: string): Promise<string> {
  const url = `${http}/api/v1/calendar/ics?mailbox=${encodeURIComponent(mailbox.address)}`
  const { status, body } = await send(url, `Bearer ${api_key}`, Buffer.from(ics, 'latin1'), 'text/calendar')
  if (status !== 200) return String(status)
  const { created, failed_count } = JSON.parse(body.toString()) as { created: number; failed_count: number }
  return created > 0 ? 'imported' : failed_count > 0 ? 'failed' : 'nothing'
}

let files = 0

/** The file with other UIDs than all before. */
function ownFile(message: Buffer): string {
  return bombOf(message).ics.replaceAll(/^UID:.*?(?=\r?$)/gm, `$&-${++files}`)
}

/** RFC 6047: a message whose author is the organizer, to the mailbox that it invites. */
function invitation({ mailbox }: Ready, message: Buffer): Buffer {
  const people = ['ORGANIZER:mailto:sender@example.org', `ATTENDEE;RSVP=TRUE:mailto:${mailbox.address}`]
  const ics = ownFile(message)
    .replaceAll(/^(METHOD|ORGANIZER|ATTENDEE)[:;].*\r?\n/gm, '')
    .replace(/^BEGIN:VCALENDAR\r?\n/m, '$&METHOD:REQUEST\r\n')
    .replaceAll(/^BEGIN:VEVENT\r?\n/gm, `$&${people.join('\r\n')}\r\n`)
  const head = [
    'From: sender@example.org',
    `To: ${mailbox.address}`,
    'Subject: invitation',
    'Date: Fri, 20 Nov 2026 10:00:00 +0100',
    `Message-ID: <${files}@example.org>`,
    'MIME-Version: 1.0',
    'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ]
  const lines =
    Buffer.from(ics, 'latin1')
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  return Buffer.from([...head, '', ...lines, ''].join('\r\n'))
}

function bombOf(message: Buffer): CalendarBomb {
  return JSON.parse(message.toString()) as CalendarBomb
}

class CalendarJmap {
  readonly #server: Ready
  readonly #authorization: string

  constructor(server: Ready) {
    const { address, password } = server.mailbox
    this.#server = server
    this.#authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`
  }

  async calendar(): Promise<string> {
    const { list } = await this.call('Calendar/get', { ids: null })
    return (list as { id: string }[])[0]!.id
  }

  async create({ event }: CalendarBomb, calendar: string): Promise<{ readonly id: string | null; outcome: string }> {
    if (event === null) return { id: null, outcome: 'no event' }
    const create = { e: { ...event, calendarIds: { [calendar]: true } } }
    const { created, notCreated, type } = await this.call('CalendarEvent/set', { create })
    const id = (created as { e?: { id: string } } | null)?.e?.id ?? null
    const refused = (notCreated as { e?: { type: string } } | null)?.e?.type
    return { id, outcome: refused ?? String(type) }
  }

  async expand(): Promise<string> {
    const outcomes: string[] = []
    for (const filter of YEARS) {
      const { ids, type } = await this.call('CalendarEvent/query', { filter, expandRecurrences: true })
      outcomes.push(ids ? 'listed' : String(type))
    }
    return outcomes.join(', ')
  }

  async availability(): Promise<string> {
    const { list: principals } = await this.call('Principal/get', { ids: null, properties: ['id'] })
    const [{ id }] = principals as [{ id: string }]
    const args = { id, utcStart: DAYS.from, utcEnd: DAYS.to, showDetails: true }
    const { list, type } = await this.call('Principal/getAvailability', args)
    return list ? 'periods' : String(type)
  }

  async parse(ics: Buffer): Promise<string> {
    const { http, mailbox } = this.#server
    const { status, body } = await send(`${http}/jmap/upload/${mailbox.id}`, this.#authorization, ics, 'text/calendar')
    if (status !== 201) return `upload ${status}`
    const { blobId } = JSON.parse(body.toString()) as { blobId: string }
    const { parsed, type } = await this.call('CalendarEvent/parse', { blobIds: [blobId] })
    return parsed ? 'parsed' : String(type ?? 'notParsable')
  }

  async call(name: string, args: object): Promise<Answer> {
    const { http, mailbox } = this.#server
    const methodCalls = [[name, { accountId: mailbox.id, ...args }, '0']]
    const answer = await send(
      `${http}/jmap/api`,
      this.#authorization,
      Buffer.from(JSON.stringify({ using: USING, methodCalls })),
    )
    if (answer.status !== 200) return { type: String(answer.status) }
    const { methodResponses } = JSON.parse(answer.body.toString()) as { methodResponses: [[string, Answer]] }
    return methodResponses[0][1]
  }
}
