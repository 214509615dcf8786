/** Endpoints made ready to serve: patterns and validators compiled once, and what a path knows for those that ask in vain. */
import { plainArguments, type ResponseArguments } from '../../jmap/protocol/json-text.ts'
import { type Endpoint, isSingle } from '../endpoint.ts'
import { Problem } from '../errors/api-error.ts'
import { declaredErrors } from '../errors/declared-errors.ts'
import { type Validator, Validators } from '../schema/validate.ts'

export interface Route {
  readonly endpoint: Endpoint
  /** A GET of one resource: its answer has an ETag. */
  readonly isSingle: boolean
  /** As Express writes paths. */
  readonly pattern: string
  readonly query: (query: URLSearchParams) => unknown
  readonly body: Validator
  /** @throws Error when an answer is not what the endpoint declares, if answers are checked */
  readonly checkAnswer: (status: number, body: unknown) => void
  /** The same for a refusal. */
  readonly checkProblem: (problem: Problem) => Problem
}

export class Routes {
  readonly all: readonly Route[]
  readonly #paths: ReadonlyMap<Route, RegExp>

  /** @param checkAnswers in tests and development: an answer that the document does not tell of is a failure of ours */
  constructor(endpoints: readonly Endpoint[], checkAnswers: boolean) {
    const validators = new Validators()
    this.all = endpoints.map((endpoint) => toRoute(endpoint, validators, checkAnswers))
    this.#paths = new Map(this.all.map((route) => [route, toRegExp(route.endpoint.path)]))
  }

  /** Methods that a path knows, with those that come by themselves; none for an unknown path. */
  methodsAt(path: string): string[] {
    const methods = this.#at(path).map((route) => route.endpoint.method as string)
    if (methods.length === 0) return []
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  }

  /** A path whose every endpoint is public asks for no key to be told that the method is wrong. */
  isPublic(path: string): boolean {
    const routes = this.#at(path)
    return routes.length > 0 && routes.every((route) => route.endpoint.scopes === null)
  }

  #at(path: string): Route[] {
    return this.all.filter((route) => this.#paths.get(route)!.test(path))
  }
}

function toRoute(endpoint: Endpoint, validators: Validators, checkAnswers: boolean): Route {
  return {
    endpoint,
    isSingle: isSingle(endpoint),
    pattern: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    query: validators.query(endpoint.query ?? { type: 'object' }),
    body: endpoint.body ? validators.body(endpoint.body) : () => undefined,
    checkProblem: checkAnswers ? problemCheck(endpoint) : (problem) => problem,
    checkAnswer: checkAnswers ? answerCheck(endpoint, validators) : () => {},
  }
}

function answerCheck(endpoint: Endpoint, validators: Validators): (status: number, body: unknown) => void {
  const checks = new Map(
    [...endpoint.responses].map(([status, schema]) => [status, schema ? validators.answer(schema) : noBody]),
  )
  return (status, body) => {
    const check = checks.get(status)
    const fault = check ? check(body && plainArguments(body as ResponseArguments)) : `${status} is not declared`
    if (fault !== null) throw new Error(`${endpoint.operationId} answers otherwise than declared: ${fault}`)
  }
}

function problemCheck(endpoint: Endpoint): (problem: Problem) => Problem {
  const declared = new Set(declaredErrors(endpoint))
  return (problem) => {
    if (declared.has(problem.code)) return problem
    const cause = new Error(`${endpoint.operationId} does not declare ${problem.code}: ${problem.message}`)
    return new Problem('internal_error', { cause })
  }
}

function noBody(body: unknown): string | null {
  return body === null || body === undefined ? null : 'has a body'
}

function toRegExp(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}
