/**
 * What files and feeds of large calendars cost the others: for an import, the same import again, an export, a feed that is made and one that
 * is in memory, the time of each, the probe's p99 beside it, and the longest turn of the event loop of the sockets by its own CPU. Also
 * texts that are made to cost much are imported.
 *
 *     server/node scripts/bench/calendar-files.ts [--events 10000] [--engine postgres] [--probes 50] [--bombs]
 *
 * Exits 1 when a turn takes more than 50 ms of CPU, or an answer is not the one that is wanted.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { icalendarBombs } from './support/icalendar-bombs.ts'
import { besideLoad, type Load, startMeasured } from './support/stall/beside.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    engine: { type: 'string', default: 'sqlite' },
    probes: { type: 'string', default: '50' },
    bombs: { type: 'boolean', default: false },
  },
})
const count = wholeNumber(values, 'events')
const probes = wholeNumber(values, 'probes')
const [engine] = enginesIn(values.engine)
const TURN_MS = 50

const database = engine === 'postgres' ? await freshDatabase() : null
const server = await startMeasured(
  [],
  [
    '--rate-write',
    '0',
    '--rate-read',
    '0',
    '--plan-limits',
    'off',
    ...(database ? [`--database=${database.url}`] : []),
  ],
)
const of = `mailbox=${encodeURIComponent(server.mailbox.address)}`
const authorization = { Authorization: `Bearer ${server.api_key}` }
let faults = 0

const ask = (method: string, path: string, init: RequestInit = {}) =>
  fetch(`${server.http}${path}`, { method, ...init, headers: { ...authorization, ...init.headers } })

async function importText(text: string): Promise<string> {
  const answer = await ask('POST', `/v1/calendar/ics?${of}`, {
    body: text,
    headers: { 'Content-Type': 'text/calendar' },
  })
  const body = (await answer.json()) as { [name: string]: unknown }
  const { created, updated, skipped, failed_count: failed } = body
  if (answer.status === 200) return `created ${created}, updated ${updated}, skipped ${skipped}, failed ${failed}`
  return `${answer.status} ${JSON.stringify(body['error']).slice(0, 200)}`
}

/** A calendar like those that people have: a fifth recurs, each has a description and some have attendees. */
function calendar(mark: string, events = count): string {
  const pad = (number: number) => String(number).padStart(2, '0')
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//EN']
  for (let n = 0; n < events; n++) {
    const day = `${2020 + (n % 7)}${pad((n % 12) + 1)}${pad((n % 28) + 1)}`
    lines.push(
      'BEGIN:VEVENT',
      `UID:${mark}-${n}@example.org`,
      'DTSTAMP:20260101T000000Z',
      `DTSTART;TZID=Europe/Berlin:${day}T${pad(n % 24)}0000`,
      'DURATION:PT1H',
      `SUMMARY:Meeting ${n} about things`,
      `DESCRIPTION:${'What we talk about. '.repeat(15)}`,
      'LOCATION:Room 12',
      ...(n % 5 === 0 ? ['RRULE:FREQ=WEEKLY;COUNT=20', `EXDATE;TZID=Europe/Berlin:${day}T${pad(n % 24)}0000`] : []),
      ...(n % 10 === 0 ? ['ORGANIZER:mailto:a@example.org', 'ATTENDEE:mailto:b@example.org'] : []),
      'END:VEVENT',
    )
  }
  return [...lines, 'END:VCALENDAR', ''].join('\r\n')
}

async function measure(name: string, wanted: RegExp, run: () => Promise<string>, wantedProbes = 0): Promise<void> {
  const times: number[] = []
  const load: Load = {
    name,
    async run() {
      const begin = performance.now()
      const outcome = await run()
      times.push(performance.now() - begin)
      if (!wanted.test(outcome)) {
        faults++
        console.log(`FAULT ${name}: ${outcome}`)
      }
      return { outcome, octets: 0 }
    },
  }
  const { http, turn, grown } = await besideLoad(server, name, [load], wantedProbes)
  const longest = Math.max(...times)
  if (turn.cpuMs > TURN_MS) faults++
  console.log(
    `${name}: ${times.length} runs, ${Math.min(...times).toFixed(0)} to ${longest.toFixed(0)} ms; probe of HTTP p99 ${http.p99.toFixed(1)} ms of ${http.count}; longest turn ${turn.cpuMs.toFixed(1)} ms of CPU; memory +${(grown.bytes / 1e6).toFixed(0)} MB`,
  )
}

console.log(`${engine}, ${count} events`)
const text = calendar('a')
// The reading threads start with the first long read.
await ask('GET', `/v1/calendar/ics?${of}`)
console.log(`the file has ${(text.length / 1e6).toFixed(1)} MB`)
// So do those of requests with a large body, and of large messages.
await measure('a file of 1,000 events, with the start of threads', /^created 1000, /, () =>
  importText(calendar('s', 1_000)),
)
await measure('import', new RegExp(`^created ${count}, `), () => importText(text))
await measure('import again', new RegExp(`skipped ${count}, `), () => importText(text))
const size = async (answer: Response) =>
  `${answer.status} with ${(await answer.text()).match(/BEGIN:VEVENT/g)?.length} events`
await measure(
  'export',
  new RegExp(`200 with ${count + 1_000} `),
  async () => size(await ask('GET', `/v1/calendar/ics?${of}`)),
  probes,
)
const feed = await ask('POST', '/v1/calendar/feeds', {
  body: JSON.stringify({ mailbox: server.mailbox.address }),
  headers: { 'Content-Type': 'application/json' },
})
const { url } = (await feed.json()) as { url: string }
const path = new URL(url).pathname
let tag = ''
const zipped = async () => {
  const answer = await fetch(`${server.http}${path}`, { headers: { 'Accept-Encoding': 'gzip' } })
  tag = answer.headers.get('etag') ?? ''
  return size(answer)
}
await measure('feed, made', new RegExp(`200 with ${count + 1_000} `), zipped)
await measure('feed, in memory', new RegExp(`200 with ${count + 1_000} `), zipped)
const unchanged = async () => {
  const asked = Array.from({ length: 100 }, () => fetch(`${server.http}${path}`, { headers: { 'If-None-Match': tag } }))
  return [...new Set((await Promise.all(asked)).map(({ status }) => status))].join()
}
await measure('feed, 100 times 304', /^304$/, unchanged)
if (values.bombs)
  for (const bomb of icalendarBombs())
    await measure(`bomb: ${bomb.name}`, /^(?:created \d|422|413)/, () => importText(bomb.make()))
await server.stop()
await database?.drop()
await stopOwnPostgres()
process.exitCode = faults > 0 ? 1 : 0
