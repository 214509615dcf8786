/**
 * From a list of endpoints to an Express router. Every request passes the same checks in the same order (decision D1): authentication
 * (401), rate limit (429), path and method (404, 405), scope (403), size and type of the body (413, 415), validation (422), then the
 * calls of the endpoint. The router writes header fields and envelopes; it knows no resource.
 */
import type { IncomingMessage } from 'node:http'
import { type Request, type Response, Router } from 'express'
import type { Core } from '../../jmap/services.ts'
import { answerPreflight, type CorsOrigins, corsHeaders } from '../../server/base/http/cors.ts'
import { type FileSource, sendFile } from '../../server/base/http/files.ts'
import type { BodyReader } from '../../server/base/http/request-body.ts'
import { setHeaders, whenClosed } from '../../server/base/http/respond.ts'
import { sendTextPages, type TextSource } from '../../server/base/http/text-pages.ts'
import { randomId } from '../../server/base/ids.ts'
import { HTTP_RETRY_AFTER_SECONDS, REST_BODY_MAX_BYTES } from '../../server/base/limits.ts'
import { hasScope, type Principal } from '../../server/base/principal.ts'
import type { UnsentAnswers } from '../../server/base/unsent-answers.ts'
import { ANONYMOUS, authenticate } from '../access/authentication.ts'
import { RateLimiter, type RateTable, rateError, rateHeaders } from '../access/rate-tiers.ts'
import { requireScope } from '../access/scopes.ts'
import { type Endpoint, type Outcome, toText } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Elsewhere, executeSomewhere, type ThreadTurns } from './elsewhere.ts'
import { type AdmittedRequest, Execution, type ExecutionConfig, type ExecutionDeps } from './execution.ts'
import { bodyReader, readBody } from './request-body.ts'
import { pathOf, sendJson, sendTagged, sendWritten, tagOf, targetOf } from './respond.ts'
import { routeGroups } from './route-groups.ts'
import { type Route, Routes } from './routes.ts'
import { hasOctets, Uploads } from './uploads.ts'

export { UNDECLARED } from './execution.ts'

export interface RestConfig extends ExecutionConfig {
  readonly rates: RateTable
  readonly corsOrigins: CorsOrigins
  /** For tests and development: an answer that its endpoint does not declare is logged as an error (UNDECLARED). */
  readonly checkAnswers: boolean
  /** Octets of all request bodies that are being received; default: REST_MAX_RECEIVING_BYTES. */
  readonly maxReceivingBytes?: number
}

/** What REST needs from the server. */
export interface RestDeps extends ExecutionDeps {
  readonly core: Pick<Core, 'authenticate' | 'refusalOf' | 'process' | 'upload' | 'download'>
  /** URL of the server for the client of a request, without a slash at the end. */
  readonly baseUrl: (request: IncomingMessage) => string
  readonly unsent: UnsentAnswers
  readonly config: RestConfig
  /** For requests with a large body, and those that read much. Without it all are executed in this thread. */
  readonly elsewhere?: Elsewhere | null
  /** For requests that read, unless they are public. Without it none waits. */
  readonly turns?: ThreadTurns
}

/** Data of a request for its log line. */
type Locals = { requestId: string; operation?: string; credential?: string }
type Answering = Response<unknown, Locals>

/** Handles paths below `/api` and `/v1`. Other paths are passed to the next handler. */
export function createRouter(endpoints: readonly Endpoint[], deps: RestDeps): Router {
  const pipeline = new Pipeline(endpoints, deps)
  const router = Router({ caseSensitive: true, strict: true })
  const everything = ['/api', '/v1']
  router.use(everything, (request: Request, response: Answering, next: () => void) => {
    if (pipeline.begin(request, response)) next()
  })
  router.use(
    routeGroups(pipeline.routes.all, (request, response: Answering, route) =>
      pipeline.answer(request, response, route),
    ),
  )
  router.use(everything, (request: Request, response: Answering) => pipeline.answer(request, response, null))
  // Express itself only fails on a path that is not valid percent-encoding.
  router.use(everything, (error: unknown, request: Request, response: Answering, _next: () => void) => {
    pipeline.fail(request, response, error instanceof URIError ? new ApiError('unknown_path') : error)
  })
  return router
}

class Pipeline {
  readonly routes: Routes
  readonly #deps: RestDeps
  readonly #limiter: RateLimiter
  readonly #execution: Execution
  readonly #bodies: BodyReader
  readonly #uploads = new Uploads()

  constructor(endpoints: readonly Endpoint[], deps: RestDeps) {
    this.routes = new Routes(endpoints, deps.config.checkAnswers)
    this.#deps = deps
    this.#limiter = new RateLimiter(deps.clock, deps.config.rates)
    this.#execution = new Execution(deps)
    this.#bodies = bodyReader(deps.config.maxReceivingBytes)
  }

  /** What every answer has. False: the request was a preflight, which has no credentials, and is answered. */
  begin(request: Request, response: Answering): boolean {
    const { logger, clock, config } = this.#deps
    const requestId = randomId('req')
    const started = clock.now()
    response.locals.requestId = requestId
    setHeaders(response, { 'X-Request-Id': requestId, ...corsHeaders(request.headers.origin, config.corsOrigins) })
    response.on('finish', () => {
      const { operation, credential } = response.locals
      const fields = { request_id: requestId, operation, credential, status: response.statusCode }
      logger.info({ ...fields, method: request.method, ms: clock.now() - started }, 'rest request')
    })
    if (request.method !== 'OPTIONS') return true
    const methods = this.routes.methodsAt(pathOf(request))
    if (methods.length === 0) this.fail(request, response, new ApiError('unknown_path'))
    else answerPreflight(response, methods)
    return false
  }

  /** @param route null: no endpoint has this path and method */
  async answer(request: Request, response: Answering, route: Route | null): Promise<void> {
    try {
      const principal = await this.#admit(request, response, route)
      if (!route) throw this.#noRoute(request, response)
      response.locals.operation = route.endpoint.operationId
      if (principal && route.endpoint.scope) requireScope(principal, route.endpoint.scope, route.endpoint.orScope)
      if (principal) this.#requireRoom(principal)
      const { turns } = this.#deps
      // Before anything is made for it: whatever waits grows old, and what it later refers to would stay until a full collection. What is
      // public is small, and shows whether the server answers.
      if (principal && reads(request) && turns?.isFull()) await turns.wait(principal.credential)
      await this.#run(request, response, route, principal)
      if (principal) this.#deps.unsent.holdWritten(principal.credential, response)
    } catch (error) {
      this.fail(request, response, error, route)
    }
  }

  fail(request: Request, response: Answering, thrown: unknown, route: Route | null = null): void {
    const { requestId } = response.locals
    const error = this.#execution.errorOf(thrown, requestId, route)
    // Half an answer must not look like a whole one.
    if (response.headersSent) {
      request.destroy()
      return
    }
    setHeaders(response, error.headers)
    sendJson(response, error.status, JSON.stringify(error.toBody(requestId)))
  }

  /** 401, then 429. null: a public endpoint, which has no rate limit. */
  async #admit(request: Request, response: Answering, route: Route | null): Promise<Principal | null> {
    if (route ? route.endpoint.scope === null : this.routes.isPublic(pathOf(request))) return null
    const ip = request.ip ?? ''
    const principal = await authenticate(this.#deps.core, request.headers.authorization, ip).catch((error: unknown) => {
      if (error instanceof ApiError && error.code !== 'missing_api_key') this.#limiter.countFailure(ip)
      throw error
    })
    response.locals.credential = principal.credential
    const tier = route?.endpoint.tier ?? (reads(request) ? 'read' : 'write')
    const scope = route?.endpoint.scope
    const { domain_id: domain } = request.params
    const mayUse =
      (!scope || hasScope(principal, scope) || hasScope(principal, route.endpoint.orScope ?? scope)) &&
      (typeof domain !== 'string' || !this.#deps.ids.isUnknownDomain(principal, domain))
    const subject = [route?.endpoint.operationId ?? '', ...Object.values(request.params)].join(' ')
    const verdict = this.#limiter.take(tier, principal, subject, !mayUse)
    if (verdict) {
      setHeaders(response, rateHeaders(verdict))
      if (!verdict.allowed) throw rateError(verdict)
    }
    return principal
  }

  /** Before anything is done: a client that reads no answers gets no more of them. */
  #requireRoom({ credential }: Principal): void {
    if (this.#deps.unsent.hasRoom(credential)) return
    const message = 'Too many answers to requests of this key have not been read: read them, then ask again.'
    throw new ApiError('rate_limit_exceeded', { message, headers: { 'Retry-After': String(HTTP_RETRY_AFTER_SECONDS) } })
  }

  #noRoute(request: Request, response: Answering): ApiError {
    const methods = this.routes.methodsAt(pathOf(request))
    if (methods.length === 0) return new ApiError('unknown_path')
    response.setHeader('Allow', methods.join(', '))
    const message = `This path does not know ${request.method}; it knows ${methods.join(', ')}.`
    return new ApiError('method_not_allowed', { message })
  }

  /** Reads the body, executes the endpoint, or finds the answer that the same request had before, and responds. */
  async #run(request: Request, response: Answering, route: Route, principal: Principal | null): Promise<void> {
    const { endpoint } = route
    const limit = endpoint.bodyLimit ?? REST_BODY_MAX_BYTES
    const upload =
      principal && endpoint.uploadLimit !== undefined && hasOctets(request)
        ? this.#uploads.open(request, endpoint.uploadLimit, principal)
        : null
    const body =
      endpoint.body && !upload
        ? await readBody(this.#bodies, request, limit, endpoint.bodyType ?? null)
        : Buffer.alloc(0)
    const admitted: AdmittedRequest = {
      operationId: endpoint.operationId,
      requestId: response.locals.requestId,
      principal: principal ?? ANONYMOUS,
      isPublic: principal === null,
      isRead: reads(request),
      baseUrl: this.#deps.baseUrl(request),
      method: request.method,
      target: targetOf(request),
      params: request.params as Record<string, string>,
      key: request.get('idempotency-key'),
      condition: request.get('if-match'),
      body,
    }
    const executed = await executeSomewhere(this.#execution, this.#deps.elsewhere ?? null, route, admitted, {
      addHeaders: (headers) => setHeaders(response, headers),
      onClose: (listener) => whenClosed(response, listener),
      upload,
    })
    if ('written' in executed) return sendWritten(request, response, executed.written)
    if ('outcome' in executed) return this.#respond(request, response, route, executed.outcome)
    sendJson(response, executed.replayed.status, executed.replayed.body)
  }

  async #respond(request: Request, response: Answering, { endpoint }: Route, outcome: Outcome): Promise<void> {
    if ('file' in outcome) await this.#sendFile(request, response, outcome.file)
    else if (endpoint.isSingle) sendTagged(request, response, toText(outcome.body))
    else {
      const text = toText(outcome.body)
      if (endpoint.showsResource) response.setHeader('ETag', tagOf(text))
      sendJson(response, outcome.status, text)
    }
  }

  #sendFile(request: Request, response: Answering, file: FileSource | TextSource): Promise<void> {
    if ('pages' in file) return sendTextPages(request, response, file)
    return sendFile(request, response, file, (headers) => new ApiError('range_not_satisfiable', { headers }))
  }
}

function reads({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}
