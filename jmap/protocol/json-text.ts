/**
 * Fragments of a response that are already JSON text (stored records), so that a list page is built without parsing and serialising
 * them.
 */
import type { Json, JsonObject } from '../../server/base/json.ts'
import { setOwn } from './json-object.ts'
import type { JmapResponse } from './messages.ts'

/** JSON text in place of a value. It may be an argument of a response, or an item of an array that is an argument. */
export class JsonText {
  readonly text: string
  #value: Json | undefined

  /** @param text valid JSON; it is not checked. */
  constructor(text: string) {
    this.text = text
  }

  /** The value, parsed at the first call and cached: several result references may read the same list. */
  parse(): Json {
    this.#value ??= JSON.parse(this.text) as Json
    return this.#value
  }

  /** In any other place JSON.stringify still writes the value, only slower. */
  toJSON(): Json {
    return this.parse()
  }
}

export type ResponseValue = Json | JsonText | readonly (Json | JsonText)[]
export type ResponseArguments = { readonly [key: string]: ResponseValue }
/** RFC 8620 3.2, as methods return it. */
export type ResponseInvocation = [name: string, args: ResponseArguments, callId: string]

/** RFC 8620 3.4, before serialisation. Other members (RFC 8887 4.3.3: `@type`, `requestId`) are written unchanged. */
export interface ResponseTree {
  readonly methodResponses: readonly ResponseInvocation[]
  readonly createdIds?: { readonly [creationId: string]: string }
  readonly sessionState: string
  readonly [other: string]: unknown
}

/** The response as JSON. */
export function writeJson(response: ResponseTree): string {
  let text = '{"methodResponses":['
  for (let i = 0; i < response.methodResponses.length; i++) {
    if (i > 0) text += ','
    text += writeInvocation(response.methodResponses[i]!)
  }
  text += ']'
  for (const key of Object.keys(response)) {
    if (key !== 'methodResponses') text += member(key, JSON.stringify(response[key]), true)
  }
  return `${text}}`
}

function writeInvocation([name, args, callId]: ResponseInvocation): string {
  return `[${JSON.stringify(name)},${writeArguments(args)},${JSON.stringify(callId)}]`
}

/** An object as JSON; values and items of arrays may already be text. */
export function writeArguments(args: ResponseArguments): string {
  const keys = Object.keys(args)
  if (!keys.some((key) => holdsText(args[key]!))) return JSON.stringify(args)
  let text = '{'
  let first = true
  for (const key of keys) {
    const written = member(key, writeValue(args[key]!), !first)
    if (written !== '') first = false
    text += written
  }
  return `${text}}`
}

/** `value` undefined: JSON omits the member, as JSON.stringify does. */
function member(key: string, value: string | undefined, comma: boolean): string {
  return value === undefined ? '' : `${comma ? ',' : ''}${JSON.stringify(key)}:${value}`
}

function writeValue(value: ResponseValue): string | undefined {
  if (value instanceof JsonText) return value.text
  if (!Array.isArray(value) || !holdsText(value)) return JSON.stringify(value)
  let text = '['
  for (let i = 0; i < value.length; i++) {
    const item: Json | JsonText = value[i]
    if (i > 0) text += ','
    text += item instanceof JsonText ? item.text : (JSON.stringify(item) ?? 'null')
  }
  return `${text}]`
}

function holdsText(value: ResponseValue): boolean {
  if (value instanceof JsonText) return true
  if (!Array.isArray(value)) return false
  for (let i = 0; i < value.length; i++) if (value[i] instanceof JsonText) return true
  return false
}

/** The value without JsonText; the same object if it contains none. */
export function plain(value: ResponseValue): Json {
  if (value instanceof JsonText) return value.parse()
  if (!holdsText(value)) return value as Json
  return (value as readonly (Json | JsonText)[]).map((item) => (item instanceof JsonText ? item.parse() : item))
}

export function plainArguments(args: ResponseArguments): JsonObject {
  if (!Object.values(args).some(holdsText)) return args as JsonObject
  const result: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(args)) setOwn(result, key, plain(value))
  return result
}

/** The response as plain data, for callers in the process. */
export function plainResponse(response: ResponseTree): JmapResponse {
  return {
    methodResponses: response.methodResponses.map(([name, args, callId]) => [name, plainArguments(args), callId]),
    ...(response.createdIds !== undefined && { createdIds: response.createdIds }),
    sessionState: response.sessionState,
  }
}
