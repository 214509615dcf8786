/** Decision D21: where programs look for the link of a video meeting, of which few know CONFERENCE. */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { textOf } from './invited.ts'

const GOOGLE = 'x-google-conference'

/** The first link as LOCATION, or as a line of the description if there is a place; and as Google writes it. */
export function withVideo(event: JsonObject): JsonObject {
  const uri = videoOf(event)
  if (uri === null) return event
  const { locations, description, iCalendar } = event
  const hasPlace = isObject(locations) && Object.keys(locations).length > 0
  const text = textOf(description) ?? ''
  const kept = isObject(iCalendar) ? iCalendar : { '@type': 'ICalComponent', name: 'vevent' }
  const properties = Array.isArray(kept['properties']) ? kept['properties'] : []
  const isWritten = properties.some((property) => Array.isArray(property) && property[0] === GOOGLE)
  return {
    ...event,
    ...(hasPlace
      ? text.includes(uri)
        ? {}
        : { description: text === '' ? uri : `${text}\n\n${uri}` }
      : { locations: { video: { '@type': 'Location', name: uri } } }),
    ...(!isWritten && { iCalendar: { ...kept, properties: [...properties, [GOOGLE, {}, 'unknown', uri]] } }),
  }
}

/** The first virtual location; null: there is none. */
export function videoOf({ virtualLocations }: JsonObject): string | null {
  const [first] = Object.values(isObject(virtualLocations) ? virtualLocations : {})
  return isObject(first) ? textOf(first['uri']) : null
}
