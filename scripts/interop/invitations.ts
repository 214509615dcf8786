/**
 * Scheduling messages of other programs through delivery: every calendar file with a METHOD and every mail with a calendar part of the
 * corpora, and the published files of Google, Microsoft and Apple that have an organizer and attendees, as if they had METHOD:REQUEST. Prints a row
 * for each and counts; exits 1 if a mail is not stored, or a calendar that names an organizer and an attendee makes no event with its title
 * and start.
 *
 * A file is sent by its organizer (a REPLY by its attendee) to a mailbox whose address is one of its attendees (of a REPLY its organizer).
 *
 *     server/node scripts/interop/invitations.ts [--corpora FOLDER] [--verbose]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { parseMessage } from '../../jmap/message/structure.ts'
import { decodeTransfer } from '../../jmap/message/transfer.ts'
import { type Result, startCore } from '../../spec/support/core.ts'
import { SHARED_CORPORA } from '../../spec/support/corpora.ts'

const { values } = parseArgs({
  options: { corpora: { type: 'string', default: SHARED_CORPORA }, verbose: { type: 'boolean', default: false } },
})
if (!existsSync(values.corpora)) {
  console.error(`there are no corpora at ${values.corpora}: --corpora names another folder`)
  process.exit(2)
}

const FOLDERS = ['ical4j', 'ical.js', 'libical', 'calcard', 'py-icalendar', 'cyrus-cassandane', 'james', 'caldavtester']
const MAKERS =
  /^PRODID[^:]*:.*(google|microsoft|outlook|exchange|apple|lotus|davmail|zidestore|research in motion|yahoo)/im

interface Sample {
  readonly name: string
  readonly maker: string
  readonly method: string
  readonly from: string
  readonly to: string
  readonly mail: Buffer
  /** What the event must have; null: the file does not name who invites whom, or has no event. */
  readonly expected: { readonly title: string | null; readonly start: string } | null
}

function files(): string[] {
  return FOLDERS.map((folder) => join(values.corpora, folder))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((name) => /\.(ics|eml)$/i.test(name) && !name.endsWith('.expected.ics'))
    .sort()
}

/** The unfolded lines of the first VEVENT, read without the reader under test. */
function firstEvent(text: string): string[] {
  const lines = text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)
  const from = lines.indexOf('BEGIN:VEVENT')
  const to = lines.indexOf('END:VEVENT')
  return from < 0 ? [] : lines.slice(from, to)
}

function valueIn(lines: readonly string[], name: string): string | null {
  const line = lines.find((one) => new RegExp(`^${name}[;:]`, 'i').test(one))
  return line === undefined ? null : line.slice(line.search(/:(?=[^"]*(?:"[^"]*"[^"]*)*$)/) + 1)
}

const addressIn = (line: string) =>
  /mailto:([^\s"?;]+@[^\s"?;]+)/i.exec(line.slice(line.toLowerCase().lastIndexOf('mailto:')))?.[1] ?? null

function sampleOfFile(path: string): Sample | null {
  const octets = readFileSync(path)
  const raw = octets.toString('utf8')
  const given = /^METHOD:[ \t]*(\w+)/im.exec(raw)?.[1]?.toUpperCase() ?? null
  const maker = MAKERS.exec(raw)?.[1]?.toLowerCase() ?? 'other'
  const lines = firstEvent(raw)
  const organizer = addressIn(
    valueIn(lines, 'ORGANIZER') === null ? '' : (lines.find((line) => /^ORGANIZER/i.test(line)) ?? ''),
  )
  const attendees = lines.filter((line) => /^ATTENDEE/i.test(line)).flatMap((line) => addressIn(line) ?? [])
  const isInvitation =
    /google|microsoft|outlook|exchange|apple/.test(maker) && organizer !== null && attendees.length > 0
  const isMade = isInvitation && (given === null || given === 'PUBLISH')
  if (given === null && !isMade) return null
  const method = isMade ? 'REQUEST' : (given ?? 'REQUEST')
  const bare = isMade ? raw.replace(/^METHOD:.*\r?\n/im, '') : raw
  const text = isMade ? bare.replace(/^(BEGIN:VCALENDAR\r?\n)/im, '$1METHOD:REQUEST\r\n') : raw
  const attendee = attendees.find((address) => address.toLowerCase() !== organizer?.toLowerCase()) ?? null
  const isReply = ['REPLY', 'COUNTER', 'REFRESH'].includes(method)
  const [from, to] = isReply ? [attendees[0], organizer] : [organizer, attendee]
  const start = valueIn(lines, 'DTSTART')
  // A file with several events is a collection, not a message.
  const uids = new Set(raw.match(/^UID:.*$/gm))
  const isExpected =
    uids.size <= 1 &&
    method === 'REQUEST' &&
    from &&
    to &&
    start &&
    !/INVALID|DTSTART[^\n]*\n[^\n]*DTSTART/.test(lines.join('\n'))
  const title = valueIn(lines, 'SUMMARY')
  const head = `From: <${from ?? 'somebody@example.org'}>\r\nMIME-Version: 1.0\r\nContent-Transfer-Encoding: base64\r\n`
  const body = Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  return {
    name: relative(values.corpora, path),
    maker,
    method: isMade ? 'as REQUEST' : method,
    from: from ?? 'somebody@example.org',
    to: to ?? 'nobody@example.test',
    mail: Buffer.from(`${head}Content-Type: text/calendar; charset=UTF-8; method=${method}\r\n\r\n${body}\r\n`),
    expected: isExpected ? { title, start: start.slice(0, 8) } : null,
  }
}

function sampleOfMail(path: string): Sample | null {
  const mail = readFileSync(path)
  if (!/text\/calendar|application\/ics/i.test(mail.toString('latin1'))) return null
  const { from, structure } = parseMessage(mail)
  const part = structure.parts.find(({ type }) => type === 'text/calendar')
  const text = part ? decodeTransfer(mail.subarray(part.bodyStart, part.bodyEnd), part.encoding).toString() : ''
  const lines = firstEvent(text)
  const isReply = /^METHOD:(REPLY|COUNTER|REFRESH)/im.test(text)
  const people = lines
    .filter((line) => (isReply ? /^ORGANIZER/i : /^ATTENDEE/i).test(line))
    .flatMap((line) => addressIn(line) ?? [])
  const to = people.find((address) => address !== from?.[0]?.email)
  return {
    name: relative(values.corpora, path),
    maker: MAKERS.exec(text)?.[1]?.toLowerCase() ?? 'other',
    method: `mail ${/^METHOD:(\w+)/im.exec(text)?.[1] ?? ''}`,
    from: from?.[0]?.email ?? '',
    to: to ?? 'nobody@example.test',
    mail,
    expected: null,
  }
}

const endings: (() => unknown)[] = []
const core = await startCore({ teardown: (end: () => unknown) => void endings.push(end) } as never)
const samples = files().flatMap((path) => (/\.eml$/i.test(path) ? sampleOfMail(path) : sampleOfFile(path)) ?? [])
const counts: { [outcome: string]: number } = {}
let failures = 0
for (const [index, sample] of samples.entries()) {
  const box = await core.mailbox(`box${index}`)
  const recipients = [{ account: box.account, address: sample.to }]
  const message = { bytes: sample.mail, recipients, receivedAt: core.clock.now(), mailFrom: sample.from }
  const began = performance.now()
  const [[result] = []] = (await core.core.ingest([message])) as Result
  const ms = performance.now() - began
  const list: Result[] = (await box.call('CalendarEvent/get', { ids: null })).list
  const [email] = (await box.call('Email/get', { ids: [result?.emailId ?? ''], properties: ['deliveryTrace'] })).list
  const trace: string[] = (email?.deliveryTrace ?? [])
    .filter((note: Result) => note.by === 'calendar')
    .map((note: Result) => note.text)
  const { expected } = sample
  const isRight = expected === null || list.some((event) => isAsExpected(event, expected))
  const outcome =
    result?.status !== 'stored'
      ? 'NOT STORED'
      : !isRight
        ? 'WRONG'
        : list.length > 0
          ? 'event'
          : trace.length > 0
            ? 'refused in words'
            : 'no message'
  counts[outcome] = (counts[outcome] ?? 0) + 1
  if (outcome === 'NOT STORED' || outcome === 'WRONG') failures++
  if (values.verbose || outcome !== 'event')
    console.log(
      `${outcome.padEnd(16)} ${sample.maker.padEnd(10)} ${sample.method.padEnd(16)} ${ms.toFixed(0).padStart(5)} ms  ${sample.name}  ${trace.join(' ')}`,
    )
  else
    console.log(
      `${outcome.padEnd(16)} ${sample.maker.padEnd(10)} ${sample.method.padEnd(16)} ${ms.toFixed(0).padStart(5)} ms  ${sample.name}`,
    )
}

function isAsExpected(event: Result, { title, start }: { title: string | null; start: string }): boolean {
  const plain = (title ?? '').replaceAll(/\\([,;\\nN])/g, '$1').trim()
  return (event.start ?? '').replaceAll('-', '').startsWith(start) && (event.title ?? '').trim().length === plain.length
}

console.log(
  `\n${samples.length} samples: ${Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}`,
)
for (const end of endings.toReversed()) await end()
process.exit(failures > 0 ? 1 : 0)
