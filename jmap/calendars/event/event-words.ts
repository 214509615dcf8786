/** The words of an event that text conditions find: its own, and those of its overrides (JMAP Calendars 5.11.1). */

import type { Json, JsonObject } from '../../../server/base/json.ts'
import { SEARCH_TEXT_MAX_CHARS } from '../../../server/base/limits.ts'
import type { CalendarEventTextTable } from '../../../storage/schema/tables.ts'
import { tokenText } from '../../../storage/search/tokens.ts'
import { getOwn, isObject, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { parsePatchPath } from '../../protocol/pointer.ts'

export type EventWords = Omit<CalendarEventTextTable, 'account' | 'calendar_event'>
type Field = keyof EventWords

/** Texts of each field, before they are split. */
class Texts {
  readonly #texts = new Map<Field, Set<string>>()
  #room = SEARCH_TEXT_MAX_CHARS

  add(field: Field, text: Json | undefined): void {
    if (typeof text !== 'string' || text === '' || this.#room <= 0) return
    const texts = this.#texts.get(field) ?? new Set()
    if (texts.has(text)) return
    const kept = text.slice(0, this.#room)
    this.#room -= kept.length
    this.#texts.set(field, texts.add(kept))
  }

  /** Tokens between spaces; a line break keeps phrases within a text. */
  words(field: Field): string {
    return [...(this.#texts.get(field) ?? [])].map((text) => ` ${tokenText(text)} `).join('\n')
  }
}

export function wordsOf(event: JsonObject): EventWords {
  const texts = new Texts()
  collect(event, texts)
  const overrides = event['recurrenceOverrides']
  if (isObject(overrides))
    for (const patch of Object.values(overrides)) if (isObject(patch)) collect(partOf(event, patch), texts)
  return {
    title: texts.words('title'),
    description: texts.words('description'),
    location: texts.words('location'),
    owner: texts.words('owner'),
    attendee: texts.words('attendee'),
    other: texts.words('other'),
  }
}

function collect(event: JsonObject, texts: Texts): void {
  texts.add('title', event['title'])
  texts.add('description', event['description'])
  for (const location of membersOf(event['locations']))
    for (const name of ['name', 'description']) texts.add('location', location[name])
  for (const location of membersOf(event['virtualLocations']))
    for (const name of ['name', 'uri']) texts.add('other', location[name])
  for (const keyword of Object.keys(isObject(event['keywords']) ? event['keywords'] : {})) texts.add('other', keyword)
  for (const participant of membersOf(event['participants'])) addParticipant(participant, texts)
}

function addParticipant({ name, email, calendarAddress, roles }: JsonObject, texts: Texts): void {
  const has = (role: string) => isObject(roles) && getOwn(roles, role) === true
  const isOwner = has('owner')
  const fields: Field[] = [
    ...(isOwner ? ['owner' as const] : []),
    ...(has('attendee') || !isOwner ? ['attendee' as const] : []),
  ]
  const address = typeof calendarAddress === 'string' ? calendarAddress.replace(/^mailto:/i, '') : undefined
  for (const field of fields) for (const text of [name, email, address]) texts.add(field, text)
}

function membersOf(map: Json | undefined): JsonObject[] {
  return isObject(map) ? Object.values(map).filter(isObject) : []
}

/** What an override changes, with the rest of the participants and places that it changes in part. */
function partOf(event: JsonObject, patch: JsonObject): JsonObject {
  const part: MutableJsonObject = {}
  for (const [path, value] of Object.entries(patch)) {
    const [name = '', id, field, ...deeper] = parsePatchPath(path) ?? []
    if (id === undefined) {
      setOwn(part, name, value)
      continue
    }
    const before = getOwn(part, name)
    const members: MutableJsonObject = isObject(before) ? { ...before } : {}
    const own = getOwn(members, id) ?? memberOf(event[name], id)
    if (field === undefined) setOwn(members, id, value)
    else if (isObject(own) && deeper.length === 0) setOwn(members, id, { ...own, [field]: value })
    setOwn(part, name, members)
  }
  return part
}

function memberOf(map: Json | undefined, id: string): Json | undefined {
  return isObject(map) ? getOwn(map, id) : undefined
}
