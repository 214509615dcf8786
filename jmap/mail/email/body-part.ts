/** RFC 8621 4.1.4: EmailBodyPart and EmailBodyValue. */
import type { JsonObject } from '../../../server/base/json.ts'
import { p } from '../../type/property.ts'

/** Properties of a body part that Email/get returns by default (RFC 8621 4.2). */
export const DEFAULT_BODY_PROPERTIES = [
  'partId',
  'blobId',
  'size',
  'name',
  'type',
  'charset',
  'disposition',
  'cid',
  'language',
  'location',
] as const

const BODY_PROPERTIES: ReadonlySet<string> = new Set([...DEFAULT_BODY_PROPERTIES, 'headers', 'subParts'])

export function isBodyPartProperty(name: string): boolean {
  return BODY_PROPERTIES.has(name)
}

/** A body part in a response, with the requested properties. */
export interface EmailBodyPart {
  readonly partId: string | null
  readonly blobId: string | null
  readonly size: number
  readonly name: string | null
  readonly type: string
  readonly charset: string | null
  readonly disposition: string | null
  readonly cid: string | null
  readonly language: readonly string[] | null
  readonly location: string | null
  readonly headers?: readonly { readonly name: string; readonly value: string }[]
  readonly subParts?: readonly EmailBodyPart[] | null
}

/** As a client sends it: create.ts checks its members. */
export const bodyPart = p.json<EmailBodyPart, JsonObject>({ type: 'object' })

export interface EmailBodyValue {
  readonly value: string
  readonly isEncodingProblem: boolean
  readonly isTruncated: boolean
}

/** As a client sends it: create.ts checks its members. */
export const bodyValue = p.json<EmailBodyValue, JsonObject>({ type: 'object' })
