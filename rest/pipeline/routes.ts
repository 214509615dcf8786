/** Endpoints made ready to serve: patterns of paths, validators, and checks of the answers. */
import { plainArguments } from '../../jmap/protocol/json-text.ts'
import type { Endpoint, Outcome } from '../endpoint.ts'
import type { ApiError } from '../errors/api-error.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { findMistakes, mistakeWords } from '../schema/unknown-members.ts'
import { answerFault, bodyValidator, queryValidator, type Validator } from '../schema/validate.ts'

export interface Route {
  readonly endpoint: Endpoint
  /** Descriptions of unknown members of a request that look like a mistake. */
  readonly mistakes: (query: URLSearchParams, body: unknown) => readonly string[]
  /** The path as a pattern of Express. */
  readonly pattern: string
  readonly query: (query: URLSearchParams) => unknown
  readonly body: Validator
  /** How an answer differs from what the endpoint declares; null: it does not, or answers are not checked. */
  readonly faultOfAnswer: (outcome: Outcome) => string | null
  /** The same for an error. */
  readonly faultOfError: (error: ApiError) => string | null
}

export class Routes {
  readonly all: readonly Route[]
  readonly #paths: readonly (readonly [path: RegExp, endpoint: Endpoint])[]

  /** @param checkAnswers for tests and development: what the OpenAPI document does not have is found */
  constructor(endpoints: readonly Endpoint[], checkAnswers: boolean) {
    const names = new Set(endpoints.flatMap(({ query, body }) => [query, body].flatMap(memberNames)))
    this.all = endpoints.map((endpoint) => ({
      ...toRoute(endpoint, checkAnswers),
      mistakes: (asked, body) => mistakesOf(endpoint, asked, body, names),
    }))
    this.#paths = endpoints.map((endpoint) => [toRegExp(endpoint.path), endpoint])
  }

  /** Methods of a path, with those that every path has; none for an unknown path. */
  methodsAt(path: string): string[] {
    const methods = this.#at(path).map(({ method }): string => method)
    if (methods.length === 0) return []
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  }

  /** Whether all endpoints of a path are public. Another method of it is refused without authentication. */
  isPublic(path: string): boolean {
    const endpoints = this.#at(path)
    return endpoints.length > 0 && endpoints.every(({ scope }) => scope === null)
  }

  #at(path: string): Endpoint[] {
    return this.#paths.filter(([pattern]) => pattern.test(path)).map(([, endpoint]) => endpoint)
  }
}

function memberNames(schema: JsonSchema | null): string[] {
  return Object.keys(schema?.properties ?? {})
}

function mistakesOf(endpoint: Endpoint, query: URLSearchParams, body: unknown, names: ReadonlySet<string>) {
  const asked = findMistakes(Object.fromEntries(query), endpoint.query ?? NOTHING, names)
  const sent = endpoint.body && endpoint.bodyType === undefined ? findMistakes(body, endpoint.body, names) : []
  return [...asked, ...sent].map(mistakeWords)
}

const NOTHING: JsonSchema = { type: 'object', properties: {} }

function toRoute(endpoint: Endpoint, checkAnswers: boolean): Omit<Route, 'mistakes'> {
  return {
    endpoint,
    pattern: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    query: queryValidator(endpoint.query ?? NOTHING),
    body: readerOf(endpoint),
    faultOfError: checkAnswers ? errorCheck(endpoint) : () => null,
    faultOfAnswer: checkAnswers ? answerCheck(endpoint) : () => null,
  }
}

function readerOf({ body, bodyType }: Endpoint): Validator {
  if (body === null) return () => undefined
  return bodyType === undefined ? bodyValidator(body) : (octets) => octets
}

function answerCheck(endpoint: Endpoint): Route['faultOfAnswer'] {
  const checks = new Map(
    [...endpoint.responses].map(([status, schema]) => [status, schema ? answerFault(schema) : noBody]),
  )
  return (outcome) => {
    if ('file' in outcome) return null
    const { status, body } = outcome
    const check = checks.get(status)
    const fault = check ? check(body && plainArguments(body)) : `${status} is not declared`
    return fault === null ? null : `${endpoint.operationId} answers otherwise than declared: ${fault}`
  }
}

function errorCheck(endpoint: Endpoint): Route['faultOfError'] {
  return ({ code, message }) =>
    endpoint.errors.includes(code) ? null : `${endpoint.operationId} does not declare ${code}: ${message}`
}

function noBody(body: unknown): string | null {
  return body === null ? null : 'has a body'
}

function toRegExp(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}
