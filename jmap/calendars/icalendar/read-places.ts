/** LOCATION, GEO, VLOCATION and conferences to Location and VirtualLocation objects (the conversion draft, 2.2.4, 2.3.10, 2.3.21, 2.3.25). */
import { type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import type { Faults } from './faults.ts'
import { Hatch } from './hatch.ts'
import { freeKey, isId, uuidOf } from './ids.ts'
import { type Component, componentToJCal, isDerived, type Property, parameterOf, parametersOf, textOf } from './jcal.ts'
import { readJsProps } from './jsprop.ts'
import { PropertyBag } from './property-bag.ts'
import { readLinks } from './read-links.ts'
import type { EventScope } from './read-scope.ts'

export function readLocations(scope: EventScope, component: Component): void {
  const { event, bag, hatch } = scope
  const locations: { [key: string]: MutableJsonObject } = {}
  const venues = component.components.filter(({ name }) => name === 'vlocation')
  const location = bag.take('location')
  let main: string | null = null
  if (location !== null) main = addLocation(scope, location, locations)
  addGeo(scope, main, locations)
  for (const venue of venues) {
    const [key, object] = venueOf(venue, locations, scope.faults)
    setOwn(locations, key, object)
    // 2.3.25: a derived LOCATION names the place that is the main one.
    if (location !== null && isDerived(location) && object['name'] === textOf(location)) main ??= key
  }
  if (location !== null && isDerived(location) && main === null) hatch.keep(location)
  if (Object.keys(locations).length === 0) return
  event['locations'] = locations
  if (venues.length > 1 && main !== null) event['mainLocationId'] = main
}

/** The key of the Location of LOCATION; null: it has none. */
function addLocation(
  { bag, hatch }: EventScope,
  property: Property,
  locations: { [key: string]: MutableJsonObject },
): string | null {
  const name = textOf(property)
  if (isDerived(property)) return null
  if (name === null || name === '') {
    bag.putBack(property)
    return null
  }
  const key = keyOf(property, name)
  setOwn(locations, key, { '@type': 'Location', name })
  hatch.rest(['locations', key, 'name'], property, [])
  return key
}

function addGeo(
  { bag, hatch }: EventScope,
  main: string | null,
  locations: { [key: string]: MutableJsonObject },
): void {
  const property = bag.take('geo')
  if (property === null || isDerived(property)) return
  const coordinates = coordinatesOf(property)
  if (coordinates === null) {
    bag.putBack(property)
    return
  }
  const key = main ?? keyOf(property, coordinates)
  const location = locations[key] ?? { '@type': 'Location' }
  location['coordinates'] = coordinates
  setOwn(locations, key, location)
  const { jsid: _, derived: __, ...parameters } = property.parameters
  hatch.note(['locations', key, 'coordinates'], 'geo', parameters)
}

function keyOf(property: Property, value: string): string {
  const jsid = parameterOf(property, 'jsid')
  return jsid !== null && isId(jsid) ? jsid : uuidOf(value)
}

/** 2.3.21: a `geo:` URI (RFC 5870) of latitude and longitude. */
function coordinatesOf(property: Property): string | null {
  const [pair] = property.values
  return Array.isArray(pair) && pair.length === 2 ? `geo:${pair[0]},${pair[1]}` : null
}

/** The key and the object of a VLOCATION (RFC 9073 7.2). */
function venueOf(component: Component, taken: object, faults: Faults): [string, MutableJsonObject] {
  const bag = new PropertyBag(component)
  const hatch = new Hatch('vlocation', true)
  const location: MutableJsonObject = { '@type': 'Location' }
  const key = componentKey(component, bag)
  const name = bag.take('name')
  if (name !== null) {
    location['name'] = textOf(name)
    hatch.rest(['name'], name, [])
  }
  const types = bag
    .takeAll('location-type')
    .flatMap(({ values }) => values.filter((value) => typeof value === 'string'))
  if (types.length > 0) location['locationTypes'] = Object.fromEntries(types.map((type) => [type, true]))
  const coordinates = bag.take('coordinates')
  const geo = coordinates === null ? bag.take('geo') : null
  if (coordinates !== null) {
    // Some escape URIs like text; this one never has a backslash.
    location['coordinates'] = textOf(coordinates)?.replace(/\\([,;])/g, '$1') ?? ''
    hatch.rest(['coordinates'], coordinates, [])
  } else if (geo !== null) {
    location['coordinates'] = coordinatesOf(geo)
    hatch.note(['coordinates'], 'geo')
  }
  readLinks(location, bag, hatch)
  readJsProps(location, bag)
  bag.keepRest(hatch, faults)
  for (const inner of component.components) hatch.keepComponent(inner)
  hatch.addTo(location)
  return [freeKey(key, taken, component.line), location]
}

/** The key of an object of a component: JSID, else UID, else computed from the component (2.1.3). */
export function componentKey(component: Component, bag: PropertyBag): string {
  const jsid = bag.take('jsid')
  const given = jsid === null ? null : textOf(jsid)
  if (given !== null && isId(given)) return given
  const uid = bag.peek('uid')
  const text = uid === null ? null : textOf(uid)
  // A UID that is the key is written from it.
  if (uid !== null && text !== null && isId(text) && Object.keys(uid.parameters).length === 0) {
    bag.drop(uid)
    return text
  }
  if (text !== null && text !== '') return uuidOf(text)
  return uuidOf(JSON.stringify(componentToJCal(component)))
}

/** Properties of other calendars that hold the URL of a conference. */
const CONFERENCES = ['conference', 'x-google-conference', 'x-microsoft-skypeteamsmeetingurl']

export function readConferences({ event, bag, hatch }: EventScope): void {
  const conferences: { [key: string]: MutableJsonObject } = {}
  const known = new Set<string>()
  for (const name of CONFERENCES) {
    for (const property of name === 'conference' ? bag.takeAll(name) : bag.takeRaw(name)) {
      const uri = textOf(property)?.trim() ?? ''
      if (!/^[a-z][a-z0-9+.-]*:./i.test(uri) || (name !== 'conference' && known.has(uri))) {
        bag.putBack(property)
        continue
      }
      known.add(uri)
      const key = freeKey(keyOf(property, uri), conferences, property.line)
      setOwn(conferences, key, conferenceOf(property, uri))
      if (name === 'conference') hatch.rest(['virtualLocations', key, 'uri'], property, ['feature', 'label'])
      else hatch.note(['virtualLocations', key, 'uri'], name, property.parameters)
    }
  }
  if (Object.keys(conferences).length > 0) event['virtualLocations'] = conferences
}

function conferenceOf(property: Property, uri: string): MutableJsonObject {
  const conference: MutableJsonObject = { '@type': 'VirtualLocation', uri }
  const label = parameterOf(property, 'label')
  if (label !== null) conference['name'] = label
  const features = parametersOf(property, 'feature').map((feature): [string, true] => [feature.toLowerCase(), true])
  if (features.length > 0) conference['features'] = Object.fromEntries(features)
  return conference
}
