/** Location and VirtualLocation objects to LOCATION, GEO, VLOCATION and CONFERENCE (the conversion draft, 3.5, 3.7). */
import type { JsonObject } from '../../../server/base/json.ts'
import { Kept } from './hatch.ts'
import { uuidOf } from './ids.ts'
import { type Component, type Parameters, textOf } from './jcal.ts'
import { jsProps } from './jsprop.ts'
import { writeLinks } from './write-links.ts'
import { objectEntries, property, setNames, textMember, type WriteScope } from './write-scope.ts'

const LOCATION = new Set(['@type', 'name', 'coordinates', 'locationTypes', 'links', 'iCalendar'])
const CONFERENCE = new Set(['@type', 'name', 'uri', 'features'])

export function writeLocations(scope: WriteScope): void {
  const { event, component } = scope
  const main = textMember(event, 'mainLocationId')
  const locations = objectEntries(event['locations'])
  const plain = plainKey(locations, main)
  for (const [key, location] of locations) {
    if (key === plain) writePlain(scope, key, location)
    else component.components.push(venueOf(key, location, scope.lossless))
  }
  const venues = plain === null ? locations.length : locations.length - 1
  // A client that knows no VLOCATION shows the name of the main one (RFC 9073 5.3: derived).
  const shown = main ?? (locations.length === 1 ? locations[0]?.[0] : undefined)
  const name = plain === null ? locations.find(([key]) => key === shown)?.[1]['name'] : undefined
  if (typeof name === 'string') component.properties.push(property('location', 'text', name, { derived: 'TRUE' }))
  // 2.3.25: LOCATION says which is the main one only beside several VLOCATION.
  if (main !== null && venues < 2 && scope.lossless)
    component.properties.push(...jsProps({ mainLocationId: main }, LOCATION))
}

/** The location that is a LOCATION: the main one, or the first, of those that were no VLOCATION before. */
function plainKey(locations: readonly [key: string, location: JsonObject][], main: string | null): string | null {
  const candidates = locations.filter(
    ([, location]) => new Kept(location).component !== 'vlocation' && fitsProperty(location),
  )
  return (main === null ? candidates[0] : candidates.find(([key]) => key === main))?.[0] ?? null
}

/** LOCATION and GEO say no more than a name and coordinates. */
function fitsProperty(location: JsonObject): boolean {
  const members = Object.keys(location).filter((name) => name !== '@type')
  return (
    members.length > 0 &&
    members.every((name) => name === 'name' || (name === 'coordinates' && geoOf(location) !== null))
  )
}

function writePlain({ kept, component }: WriteScope, key: string, location: JsonObject): void {
  const name = textMember(location, 'name')
  const geo = geoOf(location)
  if (name !== null) {
    const jsid = key === uuidOf(name) ? {} : { jsid: key }
    component.properties.push(
      property('location', 'text', name, { ...kept.parameters('location', 'locations', key, 'name'), ...jsid }),
    )
  }
  if (geo === null) return
  const jsid = name !== null || key === uuidOf(textMember(location, 'coordinates') ?? '') ? {} : { jsid: key }
  const parameters = { ...kept.parameters('geo', 'locations', key, 'coordinates'), ...jsid }
  component.properties.push({ ...property('geo', 'float', [], parameters), values: [geo] })
}

/** Latitude and longitude of a `geo:` URI; null: it says more, or is none. */
function geoOf(location: JsonObject): number[] | null {
  const [, latitude, longitude] =
    /^geo:(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(textMember(location, 'coordinates') ?? '') ?? []
  return latitude === undefined ? null : [Number(latitude), Number(longitude)]
}

function venueOf(key: string, location: JsonObject, lossless: boolean): Component {
  const kept = new Kept(location)
  const component: Component = { name: 'vlocation', properties: [], components: [...kept.components], line: 0 }
  addKey(component, kept, key)
  const name = textMember(location, 'name')
  if (name !== null) component.properties.push(property('name', 'text', name, kept.parameters('name', 'name')))
  const types = setNames(location['locationTypes'])
  if (types.length > 0) component.properties.push(property('location-type', 'text', types))
  const coordinates = textMember(location, 'coordinates')
  const geo = kept.converted('coordinates')?.name === 'geo' ? geoOf(location) : null
  if (geo !== null) component.properties.push({ ...property('geo', 'float', []), values: [geo] })
  else if (coordinates !== null) {
    component.properties.push(
      property('coordinates', 'uri', coordinates, kept.parameters('coordinates', 'coordinates')),
    )
  }
  writeLinks(location, kept, component, lossless)
  if (lossless) component.properties.push(...jsProps(location, LOCATION))
  component.properties.push(...kept.properties)
  return component
}

/** UID, which RFC 9073 asks for, and JSID if the key is not that of the UID (2.1.3). */
export function addKey(component: Component, kept: Kept, key: string): void {
  const known = kept.first('uid')
  const uid = known === null ? null : textOf(known)
  if (uid === null || uid === '') component.properties.push(property('uid', 'text', key))
  else if (uuidOf(uid) !== key) component.properties.push(property('jsid', 'text', key))
}

export function writeConferences({ event, kept, component, lossless }: WriteScope): void {
  for (const [key, conference] of objectEntries(event['virtualLocations'])) {
    const uri = textMember(conference, 'uri')
    if (uri === null) continue
    const hint = kept.converted('virtualLocations', key, 'uri')
    if (hint?.name.startsWith('x-')) {
      component.properties.push(property(hint.name, 'unknown', uri, hint.parameters))
      continue
    }
    const features = setNames(conference['features'])
    const name = textMember(conference, 'name')
    const more = lossless ? jsProps(conference, CONFERENCE, ['virtualLocations', key]) : []
    const parameters: Parameters = {
      ...kept.parameters('conference', 'virtualLocations', key, 'uri'),
      ...(features.length > 0 ? { feature: features.map((feature) => feature.toUpperCase()) } : {}),
      ...(name === null ? {} : { label: name }),
      ...(key === uuidOf(uri) && more.length === 0 ? {} : { jsid: key }),
    }
    component.properties.push(property('conference', 'uri', uri, parameters), ...more)
  }
}
