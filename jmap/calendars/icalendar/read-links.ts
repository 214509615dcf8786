/** ATTACH, IMAGE, LINK and URL to Link objects (the conversion draft, 2.3.3, 2.3.22, 2.3.24, 2.3.46). */
import type { MutableJsonObject } from '../../protocol/json-object.ts'
import { setOwn } from '../../protocol/json-object.ts'
import type { Hatch } from './hatch.ts'
import { freeKey, isId, uuidOf } from './ids.ts'
import { type Property, parameterOf, parametersOf, textOf } from './jcal.ts'
import type { PropertyBag } from './property-bag.ts'

/** How a property becomes a Link: its relation, and the parameters with the members that they set. */
interface LinkRule {
  readonly rel: string | null
  readonly members: { readonly [parameter: string]: string }
}

const RULES: { readonly [name: string]: LinkRule } = {
  attach: { rel: 'enclosure', members: { filename: 'title', fmttype: 'contentType', size: 'size' } },
  image: { rel: 'icon', members: { filename: 'title', fmttype: 'contentType', size: 'size', display: 'display' } },
  link: { rel: null, members: { label: 'title', fmttype: 'contentType', linkrel: 'rel' } },
  url: { rel: 'describedby', members: { label: 'title', fmttype: 'contentType' } },
}

/** Sets `links` of an object from the properties of its component. */
export function readLinks(object: MutableJsonObject, bag: PropertyBag, hatch: Hatch): void {
  const links: MutableJsonObject = {}
  for (const [name, rule] of Object.entries(RULES)) {
    for (const property of bag.takeAll(name)) {
      const link = linkOf(property, rule)
      if (link === null) {
        bag.putBack(property)
        continue
      }
      const jsid = parameterOf(property, 'jsid')
      const key = freeKey(jsid !== null && isId(jsid) ? jsid : uuidOf(textOf(property) ?? ''), links, property.line)
      setOwn(links, key, link)
      hatch.rest(['links', key, 'href'], property, [...Object.keys(rule.members), 'encoding'])
    }
  }
  if (Object.keys(links).length > 0) object['links'] = links
}

function linkOf(property: Property, { rel, members }: LinkRule): MutableJsonObject | null {
  const value = textOf(property)
  if (
    value === null ||
    !(
      property.type === 'binary' ||
      (property.type === 'uri' && /^[A-Za-z][A-Za-z0-9+.-]*:\S/.test(value) && !/\s/.test(value))
    )
  )
    return null
  const link: MutableJsonObject = { '@type': 'Link', href: hrefOf(property, value) }
  if (rel !== null) link['rel'] = rel
  for (const [parameter, member] of Object.entries(members)) {
    const text = parameterOf(property, parameter)
    if (text === null) continue
    if (member === 'size') {
      if (/^\d{1,15}$/.test(text)) link['size'] = Number(text)
    } else if (member === 'display') {
      link['display'] = Object.fromEntries(
        parametersOf(property, parameter).map((purpose) => [purpose.toLowerCase(), true]),
      )
    } else {
      link[member] = text
    }
  }
  return link
}

/** 2.3.3: binary data becomes a `data:` URL (RFC 2397) with the type of FMTTYPE. */
function hrefOf(property: Property, value: string): string {
  if (property.type !== 'binary') return value
  return `data:${parameterOf(property, 'fmttype') ?? ''};base64,${value.replace(/\s/g, '')}`
}
