/**
 * Executes an admitted request: the key of a repeated request, the JSON of the body, its validation, then the calls of the endpoint. It
 * knows no connection, so that a large request can be executed in another thread than that of the sockets.
 */
import type { StoredAnswer } from '../../jmap/idempotency.ts'
import type { Idempotency } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { isFailure } from '../../server/base/errors.ts'
import type { Guard } from '../../server/base/guard.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import type { RestIds } from '../access/ids.ts'
import { type CoreDoor, JmapClient } from '../calls/jmap-client.ts'
import type { Outcome, Upload } from '../endpoint.ts'
import { type ApiError, toApiError } from '../errors/api-error.ts'
import { keyOf, runIdempotently, slotOf } from '../idempotency/idempotent-request.ts'
import type { KeyedRun } from '../idempotency/keyed-run.ts'
import { Cursors } from '../pagination/pages.ts'
import { MessageTexts } from '../shapes/message-texts.ts'
import { executeIfMatch } from './if-match.ts'
import { parseBody } from './request-body.ts'
import type { Route } from './routes.ts'

/** Logged for an answer that the OpenAPI document does not have. The loggers of tests fail the test. */
export const UNDECLARED = 'an answer is not as its endpoint declares it'

/** A request that may be executed: authenticated, within its rate and its scope. Plain data. */
export interface AdmittedRequest {
  readonly operationId: string
  readonly requestId: string
  readonly principal: Principal
  readonly isPublic: boolean
  /** It changes nothing. */
  readonly isRead: boolean
  /** URL of the server for this client, without a slash at the end. */
  readonly baseUrl: string
  readonly method: string
  /** Path and query without the prefix /api. */
  readonly target: string
  readonly params: Readonly<Record<string, string>>
  /** The field Idempotency-Key. */
  readonly key: string | undefined
  /** The field If-Match. */
  readonly condition: string | undefined
  /** Empty for an endpoint without a body. */
  readonly body: Uint8Array
}

export interface ExecutionConfig {
  /** Secret of the installation that signs cursors; cursors signed with another one are refused. 32 octets. */
  readonly cursorKey: Uint8Array
  /** For development: the answer names members that look like a mistake (Posthouse-Warning). The log always does. */
  readonly showsWarnings: boolean
}

/** What the execution of requests needs from the server. */
export interface ExecutionDeps {
  readonly core: CoreDoor
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: RestIds
  readonly idempotency: Idempotency
  /** Whether the store answers. Never rejects. */
  readonly isAvailable: () => Promise<boolean>
  readonly config: ExecutionConfig
}

export interface ExecutionOptions {
  /** Called with header fields of the answer, whatever it will be. */
  readonly addHeaders: (headers: Readonly<Record<string, string>>) => void
  /** Ends reads. */
  readonly guard?: Guard | undefined
  /** The body, where it is octets that the endpoint reads as they come. */
  readonly upload?: Upload | null
}

/** `replayed`: the answer that the same request had before. */
export type Executed = { readonly outcome: Outcome } | { readonly replayed: StoredAnswer }

export class Execution {
  readonly #deps: ExecutionDeps
  readonly #cursors: Cursors
  readonly #messageTexts = new MessageTexts()

  constructor(deps: ExecutionDeps) {
    this.#deps = deps
    this.#cursors = new Cursors(deps.config.cursorKey)
  }

  /** @throws ApiError and failures of the core, for `errorOf` */
  async run(route: Route, request: AdmittedRequest, options: ExecutionOptions): Promise<Executed> {
    const { endpoint } = route
    const { principal, method, target, body, requestId } = request
    const isKeyed = endpoint.method === 'POST' && !request.isPublic && !options.upload
    const key = isKeyed ? keyOf(request.key, endpoint.idempotencyMember, body) : undefined
    if (key === undefined) return { outcome: await this.#execute(route, request, options) }
    const slot = slotOf(key, principal, method, target, body)
    const done = await runIdempotently(this.#deps, slot, requestId, (keyed) =>
      this.#execute(route, request, options, keyed),
    )
    if ('outcome' in done) return done
    // Decision D1: the header and the body name the same request, here the one that was answered first.
    const first = done.replayed.requestId
    options.addHeaders({ 'Idempotent-Replayed': 'true', ...(first && { 'X-Request-Id': first }) })
    return done
  }

  /** The error that the client gets. It is logged where it must be. @param route null: no endpoint has this path and method */
  errorOf(thrown: unknown, requestId: string, route: Route | null): ApiError {
    const error = toApiError(thrown)
    if (route) this.#noteFault(requestId, route.faultOfError(error))
    if (error.status >= 500 && !isFailure(error.cause, 'abandoned'))
      this.#deps.logger.error({ request_id: requestId, err: error.cause ?? thrown }, 'rest request failed')
    return error
  }

  async #execute(
    route: Route,
    request: AdmittedRequest,
    { addHeaders, guard, upload }: ExecutionOptions,
    keyed?: KeyedRun,
  ): Promise<Outcome> {
    const { core, ids, clock, isAvailable } = this.#deps
    const { endpoint } = route
    const { principal, requestId, baseUrl, params, condition } = request
    const asked = new URL(request.target, 'http://host').searchParams
    const isJson = endpoint.body !== null && endpoint.bodyType === undefined
    const sent = upload ? {} : isJson ? parseBody(request.body) : request.body
    this.#noteMistakes(request, route.mistakes(asked, sent), addHeaders)
    const input = {
      principal,
      organization: ids.organizationOf(principal),
      ids,
      cursors: this.#cursors,
      messageTexts: this.#messageTexts,
      now: keyed?.begunAt ?? clock.now(),
      requestId,
      baseUrl,
      isAvailable,
      params,
      query: route.query(asked),
      body: upload ? sent : route.body(sent),
      ...(upload && { upload }),
    }
    const outcome =
      condition !== undefined && endpoint.resource
        ? await executeIfMatch(endpoint, endpoint.resource, { core, principal, input, condition })
        : await endpoint.execute(input, new JmapClient(core, principal, { ...keyed, ...(guard && { guard }) }))
    this.#noteFault(requestId, route.faultOfAnswer(outcome))
    return outcome
  }

  #noteMistakes(
    { requestId, operationId }: AdmittedRequest,
    mistakes: readonly string[],
    addHeaders: ExecutionOptions['addHeaders'],
  ): void {
    if (mistakes.length === 0) return
    const fields = { request_id: requestId, operation: operationId, mistakes }
    this.#deps.logger.warn(fields, 'members of a request are ignored')
    if (this.#deps.config.showsWarnings) addHeaders({ 'Posthouse-Warning': mistakes.join(', ') })
  }

  /** The client gets the answer nevertheless. */
  #noteFault(requestId: string, fault: string | null): void {
    if (fault !== null) this.#deps.logger.error({ request_id: requestId, fault }, UNDECLARED)
  }
}
