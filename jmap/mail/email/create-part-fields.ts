/** Email/set create: the description of a body part, by its properties or by its Content-* fields as `header:*` (RFC 8621 4.1.4, 4.6). */
import type { JsonObject } from '../../../server/base/json.ts'
import { contentId, contentLanguage, parseParameters } from '../../message/content-fields.ts'
import type { HeaderSpec } from '../../message/header-encoding.ts'
import { unfold } from '../../message/headers.ts'
import { getOwn } from '../../protocol/json-object.ts'
import { readPartHeaders } from './create-headers.ts'

export interface PartFields {
  /** In lower case. */
  readonly type: string
  readonly disposition: string | null
  readonly name: string | null
  readonly cid: string | null
  readonly location: string | null
  readonly language: readonly string[] | null
  readonly parameters: { readonly [name: string]: string }
  readonly headers: readonly HeaderSpec[]
}

type Read =
  | { readonly fields: PartFields; readonly charset: string | null }
  | { readonly member: string; readonly fault: string }

/** RFC 8621 4.1.4 EmailBodyPart, without headers. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['partId', 'blobId', 'size', 'name', 'type', 'charset'],
  ...['disposition', 'cid', 'language', 'location', 'subParts'],
])

/** Properties that a Content-* field stands for: a part may not have both. */
const SAID_BY: { readonly [field: string]: readonly string[] } = {
  'content-type': ['type', 'charset'],
  'content-disposition': ['disposition'],
  'content-id': ['cid'],
  'content-language': ['language'],
  'content-location': ['location'],
}

export function readPartFields(part: JsonObject): Read {
  // RFC 8621 4.6: each field is a separate property.
  if (getOwn(part, 'headers') !== undefined) return { member: 'headers', fault: 'cannot be set as a list' }
  const unknown = Object.keys(part).find((name) => !MEMBERS.has(name) && !name.startsWith('header:'))
  if (unknown !== undefined) return { member: unknown, fault: 'is no property of a body part' }
  const read = readPartHeaders(part)
  if ('fault' in read) return read
  const content = new Map<string, string>()
  const headers: HeaderSpec[] = []
  for (const { member, spec } of read.specs) {
    const name = spec.name.toLowerCase()
    const properties = SAID_BY[name]
    if (!properties) {
      headers.push(spec)
      continue
    }
    if (spec.form !== 'Raw' && spec.form !== 'Text') return { member, fault: 'has another form' }
    if (properties.some((property) => (getOwn(part, property) ?? null) !== null))
      return { member, fault: `says the same as ${properties[0]}` }
    content.set(name, unfold(spec.value).trim())
  }
  return described(part, content, headers)
}

function described(part: JsonObject, content: ReadonlyMap<string, string>, headers: readonly HeaderSpec[]): Read {
  const faults: string[] = []
  const text = (name: string) => {
    const value = getOwn(part, name) ?? null
    if (value === null || typeof value === 'string') return value
    faults.push(name)
    return null
  }
  const type = parameterised(content.get('content-type'))
  const disposition = parameterised(content.get('content-disposition'))
  const language = getOwn(part, 'language') ?? null
  if (language !== null && !(Array.isArray(language) && language.every((tag) => typeof tag === 'string')))
    faults.push('language')
  const { charset, name, boundary: _boundary, ...parameters } = type.parameters
  const fallback = getOwn(part, 'subParts') ? 'multipart/mixed' : 'text/plain'
  const fields: PartFields = {
    type: (text('type') ?? type.value ?? fallback).toLowerCase(),
    disposition: text('disposition') ?? disposition.value,
    name: text('name') ?? disposition.parameters['filename'] ?? name ?? null,
    cid: text('cid') ?? contentId(content.get('content-id') ?? ''),
    location: text('location') ?? content.get('content-location') ?? null,
    language: (language as string[] | null) ?? contentLanguage(content.get('content-language') ?? ''),
    parameters,
    headers,
  }
  const given = text('charset') ?? charset ?? null
  return faults.length > 0 ? { member: faults[0]!, fault: 'has another type' } : { fields, charset: given }
}

function parameterised(field: string | undefined): { value: string | null; parameters: { [name: string]: string } } {
  if (field === undefined) return { value: null, parameters: {} }
  const { value, parameters } = parseParameters(field)
  return { value: value || null, parameters: Object.fromEntries(parameters) }
}
