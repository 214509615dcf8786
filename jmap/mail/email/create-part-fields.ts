/** Email/set create: the description of a body part, by its properties or by its Content-* fields as `header:*` (RFC 8621 4.1.4, 4.6). */
import type { JsonObject } from '../../../server/base/json.ts'
import { contentId, contentLanguage, parseParameters } from '../../message/content-fields.ts'
import type { HeaderSpec } from '../../message/header-encoding.ts'
import { unfold } from '../../message/headers.ts'
import { getOwn } from '../../protocol/json-object.ts'
import { type MemberFault, readPartHeaders } from './create-headers.ts'

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

interface Read {
  readonly fields: PartFields
  readonly charset: string | null
  /** If there are any, the part cannot be written. */
  readonly faults: readonly MemberFault[]
}

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

/** @param implicitType of a part that names none and is no multipart */
export function readPartFields(part: JsonObject, implicitType: string): Read {
  const faults: MemberFault[] = []
  for (const member of Object.keys(part)) {
    // RFC 8621 4.6: each field is a separate property.
    if (member === 'headers') faults.push({ member, fault: 'cannot be set as a list' })
    else if (!MEMBERS.has(member) && !member.startsWith('header:'))
      faults.push({ member, fault: 'is no property of a body part' })
  }
  const read = readPartHeaders(part)
  faults.push(...read.faults)
  const content = new Map<string, string>()
  const headers: HeaderSpec[] = []
  for (const { member, spec } of read.specs) {
    const name = spec.name.toLowerCase()
    const properties = SAID_BY[name]
    if (!properties) {
      headers.push(spec)
      continue
    }
    if (spec.form !== 'Raw' && spec.form !== 'Text') faults.push({ member, fault: 'has another form' })
    else if (properties.some((property) => (getOwn(part, property) ?? null) !== null))
      faults.push({ member, fault: `says the same as ${properties[0]}` })
    else content.set(name, unfold(spec.value).trim())
  }
  const described = describe(part, content, implicitType)
  return {
    fields: { ...described.fields, headers },
    charset: described.charset,
    faults: [...faults, ...described.faults],
  }
}

function describe(part: JsonObject, content: ReadonlyMap<string, string>, implicitType: string) {
  const faults: MemberFault[] = []
  const refuse = (member: string) => faults.push({ member, fault: 'has another type' })
  const text = (name: string) => {
    const value = getOwn(part, name) ?? null
    if (value === null || typeof value === 'string') return value
    refuse(name)
    return null
  }
  const type = parameterised(content.get('content-type'))
  const disposition = parameterised(content.get('content-disposition'))
  const language = getOwn(part, 'language') ?? null
  if (language !== null && !(Array.isArray(language) && language.every((tag) => typeof tag === 'string')))
    refuse('language')
  const { charset, name, boundary: _boundary, ...parameters } = type.parameters
  const fallback = getOwn(part, 'subParts') ? 'multipart/mixed' : implicitType
  const fields = {
    type: (text('type') ?? type.value ?? fallback).toLowerCase(),
    disposition: text('disposition') ?? disposition.value,
    name: text('name') ?? disposition.parameters['filename'] ?? name ?? null,
    cid: text('cid') ?? contentId(content.get('content-id') ?? ''),
    location: text('location') ?? content.get('content-location') ?? null,
    language: (language as string[] | null) ?? contentLanguage(content.get('content-language') ?? ''),
    parameters,
  }
  return { fields, charset: text('charset') ?? charset ?? null, faults }
}

function parameterised(field: string | undefined): { value: string | null; parameters: { [name: string]: string } } {
  if (field === undefined) return { value: null, parameters: {} }
  const { value, parameters } = parseParameters(field)
  return { value: value || null, parameters: Object.fromEntries(parameters) }
}
