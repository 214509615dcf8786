/**
 * From a list of endpoints to an Express router. Every request goes through the same checks in the same order (api/decisions.md D1):
 * authenticate (401), rate (429), path and method (404, 405), scope (403), size and type of the body (413, 415), validation (422),
 * then the endpoint's calls. The router owns headers and envelopes; it knows no resource.
 */
import { type Request, type Response, Router } from 'express'
import { corsHeaders, preflightHeaders } from '../../server/base/http/cors.ts'
import { sendFile } from '../../server/base/http/files.ts'
import { randomId } from '../../server/base/ids.ts'
import { REST_BODY_MAX_BYTES } from '../../server/base/limits.ts'
import type { Principal } from '../../server/base/principal.ts'
import { authenticate } from '../access/authentication.ts'
import { RateLimiter, rateHeaders, rateProblem } from '../access/rate-tiers.ts'
import { requireScope } from '../access/scopes.ts'
import { JmapClient } from '../calls/jmap-client.ts'
import type { Endpoint, Outcome } from '../endpoint.ts'
import { Problem } from '../errors/api-error.ts'
import { toProblem } from '../errors/to-problem.ts'
import { keyOf, runOnce, slotOf } from '../idempotency/idempotent-request.ts'
import type { KeyedRun } from '../idempotency/keyed-run.ts'
import { Cursors } from '../pagination/pages.ts'
import { MessageTexts } from '../shapes/message-texts.ts'
import type { RestDeps } from './deps.ts'
import { parseBody, readBody } from './request-body.ts'
import { pathOf, requestIdOf, sendJson, sendTagged, setHeaders, targetOf, toText } from './respond.ts'
import { type Route, Routes } from './routes.ts'

/** Answers below `/api/v1` and `/v1`, and whatever else is below `/api`; other paths are left to what comes after it. */
export function createRouter(endpoints: readonly Endpoint[], deps: RestDeps): Router {
  const service = new RestService(new Routes(endpoints, deps.config.checkAnswers), deps)
  const router = Router({ caseSensitive: true, strict: true })
  const everything = ['/api', '/v1']
  router.use(everything, (request, response, next) => {
    if (service.begin(request, response)) next()
  })
  for (const route of service.routes.all) {
    const method = route.endpoint.method.toLowerCase() as 'get'
    const patterns = [`/api${route.pattern}`, route.pattern]
    router[method](patterns, (request, response) => service.handle(request, response, route))
  }
  router.use(everything, (request, response) => service.handle(request, response, null))
  // Express itself only fails on a path that is not valid percent-encoding.
  router.use(everything, (error: unknown, request: Request, response: Response, _next: () => void) => {
    service.fail(request, response, error instanceof URIError ? new Problem('unknown_path') : error)
  })
  return router
}

class RestService {
  readonly routes: Routes
  readonly #deps: RestDeps
  readonly #limiter: RateLimiter
  readonly #cursors: Cursors
  readonly #messageTexts = new MessageTexts()

  constructor(routes: Routes, deps: RestDeps) {
    this.routes = routes
    this.#deps = deps
    this.#limiter = new RateLimiter(deps.clock, deps.config.rates)
    this.#cursors = new Cursors(deps.config.cursorKey)
  }

  /** What every answer has, whatever it is. False: it was a preflight, which carries no credentials, and is answered. */
  begin(request: Request, response: Response): boolean {
    const { logger, clock, config } = this.#deps
    const requestId = randomId('req')
    const started = clock.now()
    response.locals['requestId'] = requestId
    setHeaders(response, { 'X-Request-Id': requestId, ...corsHeaders(request.headers.origin, config.corsOrigins) })
    response.on('finish', () => {
      const { operation, credential } = response.locals as { operation?: string; credential?: string }
      const fields = { request_id: requestId, operation, credential, status: response.statusCode }
      logger.info({ ...fields, method: request.method, ms: clock.now() - started }, 'rest request')
    })
    if (request.method !== 'OPTIONS') return true
    const methods = this.routes.methodsAt(pathOf(request))
    if (methods.length === 0) {
      this.fail(request, response, new Problem('unknown_path'))
    } else {
      setHeaders(response, preflightHeaders(methods))
      response.status(204).end()
    }
    return false
  }

  /** @param route null: no endpoint has this path and method. */
  async handle(request: Request, response: Response, route: Route | null): Promise<void> {
    try {
      const principal = await this.#admit(request, response, route)
      if (!route) throw this.#noRoute(request, response)
      await this.#answer(request, response, route, principal)
    } catch (error) {
      this.fail(request, response, route ? route.checkProblem(toProblem(error)) : error)
    }
  }

  fail(request: Request, response: Response, error: unknown): void {
    const problem = toProblem(error)
    if (problem.status >= 500) {
      const fields = { request_id: requestIdOf(response), err: problem.cause ?? error }
      this.#deps.logger.error(fields, 'rest request failed')
    }
    // Half an answer must not look like a whole one.
    if (response.headersSent) {
      request.destroy()
      return
    }
    setHeaders(response, problem.headers)
    sendJson(response, problem.status, JSON.stringify(problem.toBody(requestIdOf(response))))
  }

  /** 401, then 429. What needs no authentication is not counted. */
  async #admit(request: Request, response: Response, route: Route | null): Promise<Principal | null> {
    if (route ? route.endpoint.scopes === null : this.routes.isPublic(pathOf(request))) return null
    const ip = request.ip ?? ''
    const principal = await authenticate(this.#deps.core, request.headers.authorization, ip).catch((error: unknown) => {
      if (error instanceof Problem && error.code !== 'missing_api_key') this.#limiter.countFailure(ip)
      throw error
    })
    response.locals['credential'] = principal.credential
    const reads = request.method === 'GET' || request.method === 'HEAD'
    const tier = route?.endpoint.tier ?? (reads ? 'read' : 'write')
    const subject = [route?.endpoint.operationId ?? '', ...Object.values(request.params)].join(' ')
    const verdict = this.#limiter.take(tier, principal, subject)
    if (verdict) {
      setHeaders(response, rateHeaders(verdict))
      if (!verdict.allowed) throw rateProblem(verdict)
    }
    return principal
  }

  #noRoute(request: Request, response: Response): Problem {
    const methods = this.routes.methodsAt(pathOf(request))
    if (methods.length === 0) return new Problem('unknown_path')
    response.setHeader('Allow', methods.join(', '))
    const message = `This path does not know ${request.method}; it knows ${methods.join(', ')}.`
    return new Problem('method_not_allowed', { message })
  }

  async #answer(request: Request, response: Response, route: Route, principal: Principal | null): Promise<void> {
    const { endpoint } = route
    response.locals['operation'] = endpoint.operationId
    if (principal && endpoint.scopes) requireScope(principal, endpoint.scopes)
    const bytes = endpoint.body ? await readBody(request, endpoint.bodyLimit ?? REST_BODY_MAX_BYTES) : Buffer.alloc(0)
    const run = (keyed?: KeyedRun) => this.#execute(request, response, route, principal, bytes, keyed)
    const isKeyed = endpoint.method === 'POST' && principal !== null
    const key = isKeyed ? keyOf(request.get('idempotency-key'), endpoint.idempotencyMember, bytes) : undefined
    if (key === undefined || !principal) return this.#send(request, response, route, await run())
    const slot = slotOf(key, principal, request.method, targetOf(request), bytes)
    const { idempotency, logger } = this.#deps
    const once = await runOnce(idempotency, logger, slot, requestIdOf(response), run)
    if ('outcome' in once) return this.#send(request, response, route, once.outcome)
    // D1: the header and the body name one request, here the one that was answered first.
    setHeaders(response, {
      'Idempotent-Replayed': 'true',
      ...(once.replayed.requestId && { 'X-Request-Id': once.replayed.requestId }),
    })
    sendJson(response, once.replayed.status, once.replayed.body)
  }

  async #execute(
    request: Request,
    response: Response,
    route: Route,
    principal: Principal | null,
    bytes: Buffer,
    keyed?: KeyedRun,
  ): Promise<Outcome> {
    const { core, ids, clock } = this.#deps
    const asker = principal ?? NOBODY
    const input = {
      principal: asker,
      organization: ids.organizationOf(asker),
      ids,
      cursors: this.#cursors,
      messageTexts: this.#messageTexts,
      now: keyed?.begunAt ?? clock.now(),
      requestId: requestIdOf(response),
      params: request.params as object,
      query: route.query(new URL(request.originalUrl, 'http://host').searchParams),
      body: route.endpoint.body ? route.body(parseBody(bytes)) : undefined,
    }
    const outcome = await route.endpoint.execute(input, new JmapClient(core, asker, keyed))
    if ('body' in outcome) route.checkAnswer(outcome.status, outcome.body)
    return outcome
  }

  async #send(request: Request, response: Response, route: Route, outcome: Outcome): Promise<void> {
    if ('file' in outcome) await sendFile(request, response, outcome.file)
    else if (route.isSingle) sendTagged(request, response, toText(outcome.body))
    else sendJson(response, outcome.status, toText(outcome.body))
  }
}

/** Who asks where nobody has to say: no account is open to it. */
const NOBODY: Principal = {
  kind: 'apiKey',
  organization: 0,
  mailboxes: [],
  ownsOrganization: false,
  scopes: [],
  username: '',
  credential: '',
}
