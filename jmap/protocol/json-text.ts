/**
 * Fragments of a response that are already JSON text (stored records), so that a list page is built without parsing and serialising
 * them.
 */
import type { Json, JsonObject } from '../../server/base/json.ts'
import { setOwn } from './json-object.ts'
import type { JmapResponse } from './messages.ts'

/** JSON text in place of a value. It may be an argument of a response, or an item of an array that is an argument. */
export class JsonText {
  readonly #text: string
  #value: Json | undefined

  /** @param text valid JSON; it is not checked. */
  constructor(text = '') {
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  write(push: Push): void {
    push(this.#text)
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

/** Takes JSON in fragments, in order. Octets are only read until it returns. */
export type Push = (fragment: string | Uint8Array) => void

/** The response as JSON. */
export function writeJson(response: ResponseTree): string {
  return asText((push) => pushJson(response, push))
}

function asText(write: (push: Push) => void): string {
  let text = ''
  write((fragment) => {
    text += typeof fragment === 'string' ? fragment : DECODER.decode(fragment)
  })
  return text
}

const DECODER = new TextDecoder()

export function pushJson(response: ResponseTree, push: Push): void {
  push('{"methodResponses":[')
  for (let i = 0; i < response.methodResponses.length; i++) {
    if (i > 0) push(',')
    const [name, args, callId] = response.methodResponses[i]!
    push(`[${JSON.stringify(name)},`)
    pushArguments(args, push)
    push(`,${JSON.stringify(callId)}]`)
  }
  push(']')
  for (const key of Object.keys(response)) {
    const text = key === 'methodResponses' ? undefined : JSON.stringify(response[key])
    if (text !== undefined) push(`,${JSON.stringify(key)}:${text}`)
  }
  push('}')
}

/** An object as JSON; values and items of arrays may already be text. */
export function writeArguments(args: ResponseArguments): string {
  return asText((push) => pushArguments(args, push))
}

export function pushArguments(args: ResponseArguments, push: Push): void {
  const keys = Object.keys(args)
  if (!keys.some((key) => holdsText(args[key]!))) {
    push(JSON.stringify(args))
    return
  }
  let before = '{'
  for (const key of keys) {
    const value = args[key]!
    const isList = Array.isArray(value) && holdsText(value)
    const isText = value instanceof JsonText
    const text = isList || isText ? '' : JSON.stringify(value)
    // JSON leaves such members out.
    if (text === undefined) continue
    push(`${before}${JSON.stringify(key)}:${text}`)
    if (isText) value.write(push)
    if (isList) pushList(value, push)
    before = ','
  }
  push(before === '{' ? '{}' : '}')
}

function pushList(list: readonly (Json | JsonText)[], push: Push): void {
  push('[')
  for (let i = 0; i < list.length; i++) {
    const item: Json | JsonText = list[i]!
    if (i > 0) push(',')
    if (item instanceof JsonText) item.write(push)
    else push(JSON.stringify(item) ?? 'null')
  }
  push(']')
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
