/** Components to text (RFC 5545 3.1). Values may come from clients, so that nothing in them may begin a line. */
import ICAL from 'ical.js'
import type { Json } from '../../../server/base/json.ts'
import { WRITING } from './design.ts'
import type { Component, Parameters, Property } from './jcal.ts'

/** Octets of a line without its end. */
const LINE_OCTETS = 75

/** The lines of a component and of those inside of it. */
export function* componentLines(component: Component): Generator<string> {
  const name = component.name.toUpperCase()
  yield `BEGIN:${name}\r\n`
  for (const property of component.properties) {
    const line = propertyLine(property)
    if (line !== null) yield fold(line)
  }
  for (const inner of component.components) yield* componentLines(inner)
  yield `END:${name}\r\n`
}

/** null: ical.js cannot write the value, which has not the form of its type. */
function propertyLine({ name, parameters, type, values }: Property): string | null {
  const clean = values.map((value) => cleanValue(value, type === 'text'))
  const { value: declared, ...others } = cleanParameters(parameters)
  if (type !== 'unknown') return written([name, others, type, ...clean])
  // As it stood: ical.js would give it a type.
  const all = declared === undefined ? others : { ...others, value: declared }
  const line = written(['x-raw', all, 'unknown', ...clean])
  return line === null ? null : `${name.toUpperCase()}${line.slice('X-RAW'.length)}`
}

function written(property: readonly Json[]): string | null {
  try {
    const line: unknown = ICAL.stringify.property([...property], designFor(property[1]), true)
    return typeof line === 'string' ? line : null
  } catch {
    return null
  }
}

function isList(name: string): boolean {
  const known: unknown = Object.hasOwn(WRITING.param, name) ? Reflect.get(WRITING.param, name) : undefined
  return typeof known === 'object' && known !== null && 'multiValue' in known
}

/** ical.js writes lists only for parameters that it knows as such (RFC 5545 3.2 has them for all). */
function designFor(parameters: Json | undefined) {
  const lists = Object.entries(parameters ?? {}).filter(([name, value]) => Array.isArray(value) && !isList(name))
  if (lists.length === 0) return WRITING
  return {
    ...WRITING,
    param: { ...WRITING.param, ...Object.fromEntries(lists.map(([name]) => [name, { multiValue: ',' }])) },
  }
}

function cleanParameters(parameters: Parameters): { [name: string]: string | string[] } {
  const clean = (value: string) => cleanText(value)
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? clean(value) : value.map(clean),
    ]),
  )
}

function cleanValue(value: Json, isText: boolean): Json {
  if (typeof value === 'string') return isText ? cleanText(value) : cleanText(value).replaceAll('\n', '')
  return Array.isArray(value) ? value.map((item) => cleanValue(item, isText)) : value
}

/** Line breaks become `\n`, which is written as an escape; other control characters have no place in iCalendar. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0B-\x1F\x7F]/g, '')
}

/** Folds between characters; a continued line begins with a space, which counts. ical.js 2.2.1 writes lines of 76 octets. */
function fold(line: string): string {
  if (line.length * 3 <= LINE_OCTETS || Buffer.byteLength(line) <= LINE_OCTETS) return `${line}\r\n`
  const pieces: string[] = []
  let start = 0
  let octets = 0
  for (let at = 0; at < line.length; ) {
    const code = line.codePointAt(at)!
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (octets + size > LINE_OCTETS) {
      pieces.push(line.slice(start, at))
      start = at
      octets = 1
    }
    octets += size
    at += code < 0x10000 ? 1 : 2
  }
  pieces.push(line.slice(start))
  return `${pieces.join('\r\n ')}\r\n`
}
