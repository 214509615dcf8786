/** Bodies of an email: EmailBodyPart, EmailBodyValue, and the lists of them (RFC 8621 4.1.4, 4.2). */

import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isOneOf } from '../../../server/base/known-names.ts'
import { decodePartText } from '../../message/decode.ts'
import type { BodyPart, MessageStructure } from '../../message/structure.ts'
import { setOwn } from '../../protocol/json-object.ts'
import type { ExtraArguments } from '../../type/derived.ts'
import { DEFAULT_BODY_PROPERTIES } from './body-part.ts'
import type { Email } from './email.type.ts'
import { formOf, type PartFields, partFields, rawHeaders } from './header.ts'
import type { MessageView } from './message-view.ts'

/** Arguments of Email/get and Email/parse. */
export type BodyRequest = Partial<ExtraArguments<typeof Email, 'get'>>

const BODY_NAMES = ['bodyStructure', 'bodyValues', 'textBody', 'htmlBody', 'attachments'] as const
type BodyName = (typeof BODY_NAMES)[number]

export function isBodyProperty(name: string): name is BodyName {
  return isOneOf(BODY_NAMES, name)
}

export async function bodyProperty(message: MessageView, name: BodyName, request: BodyRequest): Promise<Json> {
  const structure = await message.structure()
  const properties = request.bodyProperties ?? DEFAULT_BODY_PROPERTIES
  if (name === 'bodyValues') return bodyValues(message, structure, request)
  // RFC 8621 4.1.4: bodyStructure is the whole tree, whatever bodyProperties names; parts in the lists have no subParts.
  if (name === 'bodyStructure') return presentPart(message, structure, 1, properties, true)
  const list: Json[] = []
  const ofLeaves = properties.filter((property) => property !== 'subParts')
  for (const number of structure[name]) list.push(await presentPart(message, structure, number, ofLeaves, false))
  return list
}

async function presentPart(
  message: MessageView,
  structure: MessageStructure,
  number: number,
  properties: readonly string[],
  inTree: boolean,
): Promise<JsonObject> {
  const part = structure.parts[number - 1]!
  const object: { [name: string]: Json } = {}
  let fields: PartFields | undefined
  for (const property of properties) {
    switch (property) {
      case 'blobId':
        object['blobId'] = part.partId === null ? null : message.blobId(number)
        break
      case 'charset':
        // RFC 8621 4.1.4: us-ascii for a text part without a charset; null for parts that are not text.
        object['charset'] = part.type.startsWith('text/') ? (part.charset ?? 'us-ascii') : part.charset
        break
      case 'subParts':
        object['subParts'] = null
        break
      case 'headers':
        fields ??= await partFields(message, part)
        object['headers'] = rawHeaders(fields)
        break
      default:
        if (property.startsWith('header:')) {
          fields ??= await partFields(message, part)
          setOwn(object, property, formOf(fields.bytes, fields.fields, property))
        } else object[property] = part[property as keyof BodyPart] as Json
    }
  }
  if (inTree && part.subParts) {
    const subParts: Json[] = []
    for (const sub of part.subParts) subParts.push(await presentPart(message, structure, sub, properties, true))
    object['subParts'] = subParts
  }
  return object
}

async function bodyValues(
  message: MessageView,
  structure: MessageStructure,
  request: BodyRequest,
): Promise<JsonObject> {
  const wanted = new Set<number>()
  if (request.fetchAllBodyValues || request.fetchTextBodyValues)
    for (const number of structure.textBody) wanted.add(number)
  if (request.fetchAllBodyValues || request.fetchHTMLBodyValues)
    for (const number of structure.htmlBody) wanted.add(number)
  if (request.fetchAllBodyValues) for (const { number } of structure.parts) wanted.add(number)
  const values: { [partId: string]: JsonObject } = {}
  for (const number of wanted) {
    const part = structure.parts[number - 1]!
    // RFC 8621 4.2: text parts only.
    if (part.partId === null || !part.type.startsWith('text/')) continue
    const bytes = await message.range(part.bodyStart, part.bodyEnd)
    const value = decodePartText(bytes, part, { maxBytes: request.maxBodyValueBytes ?? 0, offset: part.bodyStart })
    values[part.partId] = { ...value }
  }
  return values
}
