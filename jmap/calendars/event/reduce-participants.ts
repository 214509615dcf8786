/** JMAP Calendars 5.7: `reduceParticipants` leaves the owners of an event and the participants that are the user. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { parsePatchPath } from '../../protocol/pointer.ts'
import type { OwnAddresses } from './own-addresses.ts'

export async function reduced(event: JsonObject, own: OwnAddresses): Promise<JsonObject> {
  const participants = getOwn(event, 'participants')
  const kept = await keptOf(participants, own)
  const overrides = getOwn(event, 'recurrenceOverrides')
  return {
    ...event,
    ...(isObject(participants) && { participants: only(participants, kept) }),
    ...(isObject(overrides) && { recurrenceOverrides: await reducedOverrides(overrides, kept, own) }),
  }
}

async function keptOf(participants: Json | undefined, own: OwnAddresses): Promise<Set<string>> {
  const kept = new Set<string>()
  for (const [id, participant] of Object.entries(isObject(participants) ? participants : {}))
    if (await isKept(participant, own)) kept.add(id)
  return kept
}

async function isKept(participant: Json, own: OwnAddresses): Promise<boolean> {
  if (!isObject(participant)) return false
  const { roles, calendarAddress } = participant
  if (isObject(roles) && getOwn(roles, 'owner') === true) return true
  return typeof calendarAddress === 'string' && (await own.has(calendarAddress))
}

function only(participants: JsonObject, kept: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(participants).filter(([id]) => kept.has(id)))
}

async function reducedOverrides(
  overrides: JsonObject,
  kept: ReadonlySet<string>,
  own: OwnAddresses,
): Promise<JsonObject> {
  const result: MutableJsonObject = {}
  for (const [recurrenceId, patch] of Object.entries(overrides)) {
    const paths: MutableJsonObject = {}
    for (const [path, value] of Object.entries(isObject(patch) ? patch : {}))
      if (await isKeptPath(path, value, kept, own)) setOwn(paths, path, await reducedValue(path, value, own))
    setOwn(result, recurrenceId, paths)
  }
  return result
}

/** A participant that an override adds is judged by itself. */
async function isKeptPath(path: string, value: Json, kept: ReadonlySet<string>, own: OwnAddresses): Promise<boolean> {
  const [name, id, ...deeper] = parsePatchPath(path) ?? []
  if (name !== 'participants' || id === undefined) return true
  return kept.has(id) || (deeper.length === 0 && (await isKept(value, own)))
}

async function reducedValue(path: string, value: Json, own: OwnAddresses): Promise<Json> {
  return path === 'participants' && isObject(value) ? only(value, await keptOf(value, own)) : value
}
