/** Link objects to ATTACH, IMAGE, URL and LINK (the conversion draft, 3.4). */
import type { JsonObject } from '../../../server/base/json.ts'
import type { Kept } from './hatch.ts'
import { uuidOf } from './ids.ts'
import type { Component, Parameters } from './jcal.ts'
import { jsProps } from './jsprop.ts'
import { objectEntries, property, setNames, textMember } from './write-scope.ts'

const MEMBERS = new Set(['@type', 'href', 'blobId', 'contentType', 'display', 'rel', 'size', 'title'])

export function writeLinks(object: JsonObject, kept: Kept, component: Component, lossless: boolean): void {
  let hasUrl = false
  for (const [key, link] of objectEntries(object['links'])) {
    const href = textMember(link, 'href')
    if (href === null || href === '') continue
    const name = nameOf(link, hasUrl)
    hasUrl ||= name === 'url'
    const more = lossless ? jsProps(link, MEMBERS, ['links', key]) : []
    const binary = name === 'attach' || name === 'image' ? binaryOf(href, textMember(link, 'contentType')) : null
    const value = binary ?? href
    const parameters: Parameters = {
      ...ownParameters(name, link),
      ...(binary === null ? {} : { encoding: 'BASE64' }),
      ...(key !== uuidOf(value) || more.length > 0 ? { jsid: key } : {}),
    }
    const all = { ...kept.parameters(name, 'links', key, 'href'), ...parameters }
    component.properties.push(property(name, binary === null ? 'uri' : 'binary', value, all), ...more)
  }
}

function nameOf({ rel }: JsonObject, hasUrl: boolean): string {
  if (rel === undefined || rel === 'enclosure') return 'attach'
  if (rel === 'icon') return 'image'
  return rel === 'describedby' && !hasUrl ? 'url' : 'link'
}

function ownParameters(name: string, link: JsonObject): Parameters {
  const parameters: { [name: string]: string | string[] } = {}
  const title = textMember(link, 'title')
  const type = textMember(link, 'contentType')
  const rel = textMember(link, 'rel')
  const purposes = setNames(link['display'])
  const isFile = name === 'attach' || name === 'image'
  if (title !== null) parameters[isFile ? 'filename' : 'label'] = title
  if (type !== null) parameters['fmttype'] = type
  if (isFile && typeof link['size'] === 'number') parameters['size'] = String(link['size'])
  if (name === 'image' && purposes.length > 0) parameters['display'] = purposes.map((purpose) => purpose.toUpperCase())
  if (name === 'link' && rel !== null) parameters['linkrel'] = rel
  return parameters
}

/** The base64 of a `data:` URL whose type is that of the link; null: it is written as a URI, so that nothing of it is lost. */
function binaryOf(href: string, contentType: string | null): string | null {
  const prefix = `data:${contentType ?? ''};base64,`
  if (!href.startsWith(prefix)) return null
  const data = href.slice(prefix.length)
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? data : null
}
