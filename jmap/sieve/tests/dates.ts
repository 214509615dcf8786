/** RFC 5260: the date and currentdate tests. */
import { formatDate, type MailDate, parseDate } from '../../message/date.ts'
import type { Bound } from '../bound.ts'
import type { TestDefinition } from '../definition.ts'
import { compileMatch, MATCH_TAGS } from '../match.ts'
import { type Run, SieveRunError } from '../run.ts'
import type { TagSpec } from '../signature.ts'
import type { Text } from '../text.ts'
import { compileFields, INDEX_TAGS } from './fields.ts'

const ZONE_TAGS: Readonly<Record<string, TagSpec>> = { zone: { value: 'string', group: 'zone' } }
const DAY_MS = 86_400_000
/** RFC 5260 4.2: days from 17 November 1858 to 1 January 1970. */
const MODIFIED_JULIAN_OF_EPOCH = 40_587

/** RFC 5260 4.2: parts of a time that was shifted to its zone, so that its UTC fields are the local ones. */
const PARTS: Readonly<Record<string, (local: Date, date: MailDate) => string>> = {
  year: (local) => local.toISOString().slice(0, 4),
  month: (local) => local.toISOString().slice(5, 7),
  day: (local) => local.toISOString().slice(8, 10),
  date: (local) => local.toISOString().slice(0, 10),
  julian: (local) => String(Math.floor(local.getTime() / DAY_MS) + MODIFIED_JULIAN_OF_EPOCH),
  hour: (local) => local.toISOString().slice(11, 13),
  minute: (local) => local.toISOString().slice(14, 16),
  second: (local) => local.toISOString().slice(17, 19),
  time: (local) => local.toISOString().slice(11, 19),
  iso8601: (local, { offset }) => `${local.toISOString().slice(0, 19)}${offset === 0 ? 'Z' : zoneText(offset, ':')}`,
  std11: (_local, { ms, offset }) => formatDate(ms, offset),
  zone: (_local, { offset }) => zoneText(offset, ''),
  weekday: (local) => String(local.getUTCDay()),
}

function zoneText(offset: number, separator: string): string {
  const minutes = Math.abs(offset)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${separator}${two(minutes % 60)}`
}

/** RFC 5260 4.1: minutes east of UTC; null: no zone. */
function parseZone(text: string): number | null {
  const match = /^([-+])([0-9]{2})([0-5][0-9])$/.exec(text)
  if (!match) return null
  const minutes = Number(match[2]) * 60 + Number(match[3])
  return match[1] === '-' ? -minutes : minutes
}

/** Reads a part of a date; null: the year does not have four digits. @throws SieveSyntaxError */
function compilePart(bound: Bound, text: Text) {
  const zone = bound.text('zone')
  const keepsZone = bound.has('originalzone')
  if (zone?.constant != null && parseZone(zone.constant) === null) throw bound.error(':zone is written as +0100')
  if (text.constant !== null && !Object.hasOwn(PARTS, text.constant.toLowerCase()))
    throw bound.error(`there is no part of a date named ${JSON.stringify(text.constant.slice(0, 50))}`)
  return (run: Run, date: MailDate): string | null => {
    const given = zone ? parseZone(zone.read(run)) : 0
    if (given === null) throw new SieveRunError(bound.line, ':zone is not written as +0100')
    // RFC 5260 4.1: without either tag the zone is the server's, which is UTC.
    const moved = { ms: date.ms, offset: keepsZone ? date.offset : given }
    const local = new Date(moved.ms + moved.offset * 60_000)
    const name = text.read(run).toLowerCase()
    const year = local.getUTCFullYear()
    return Object.hasOwn(PARTS, name) && year >= 0 && year <= 9999 ? PARTS[name]!(local, moved) : null
  }
}

const date: TestDefinition = {
  name: 'date',
  requires: ['date'],
  tags: { ...MATCH_TAGS, ...INDEX_TAGS, ...ZONE_TAGS, originalzone: { group: 'zone' } },
  positional: ['string', 'string', 'strings'],
  compile(bound) {
    const fields = compileFields(bound, bound.textsAt(0), (run, name) => run.environment.message.fields(name))
    const part = compilePart(bound, bound.textAt(1))
    const match = compileMatch(bound, bound.textsAt(2))
    return (run) => {
      const [value] = fields(run)
      // RFC 5260 4: the date is the whole field, or the text after its last semicolon.
      const found = value === undefined ? null : parseDate(value.slice(value.lastIndexOf(';') + 1))
      const text = found && part(run, found)
      return match(run, text === null ? [] : [text])
    }
  },
}

const currentdate: TestDefinition = {
  name: 'currentdate',
  requires: ['date'],
  tags: { ...MATCH_TAGS, ...ZONE_TAGS },
  positional: ['string', 'strings'],
  compile(bound) {
    const part = compilePart(bound, bound.textAt(0))
    const match = compileMatch(bound, bound.textsAt(1))
    return (run) => {
      const text = part(run, { ms: run.environment.now, offset: 0 })
      return match(run, text === null ? [] : [text])
    }
  },
}

export const dateTests: readonly TestDefinition[] = [date, currentdate]
