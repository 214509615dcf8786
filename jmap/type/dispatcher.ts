/**
 * Runs requests: capabilities, result references, creation ids, calls in order, errors of each level (RFC 8620 3). A client sees an
 * unexpected failure as `serverFail` only; the log has the details.
 */
import { errorMessage, type FailureCode, isFailure } from '../../server/base/errors.ts'
import { type Guard, UNGUARDED } from '../../server/base/guard.ts'
import type { JsonObject } from '../../server/base/json.ts'
import type { Principal } from '../../server/base/principal.ts'
import { AccountGone } from '../../storage/account-gone.ts'
import { CreationIds } from '../protocol/creation-ids.ts'
import { MethodError, unknownCapability } from '../protocol/errors.ts'
import type { ResponseArguments, ResponseInvocation, ResponseTree } from '../protocol/json-text.ts'
import type { Invocation, JmapRequest, RequestProblem } from '../protocol/messages.ts'
import { newReferenceBudget, resolveReferences } from '../protocol/result-references.ts'
import { AnswerRoom } from './answer-room.ts'
import type { RequestContext, Services } from './context.ts'
import { type IdempotentSteps, StepSequence } from './idempotent-steps.ts'
import { InstanceNumbers } from './instance-numbers.ts'
import { forgetAccount } from './method.ts'
import { isReadOnly, type Registry } from './registry.ts'
import { RequestReads } from './request-reads.ts'
import { sessionState } from './session.ts'

export interface RunOptions {
  readonly guard?: Guard
  /** The response becomes JSON text. */
  readonly asText?: boolean
}

export async function dispatch(
  services: Services,
  registry: Registry,
  principal: Principal,
  request: JmapRequest,
  steps?: IdempotentSteps,
  { guard = UNGUARDED, asText = false }: RunOptions = {},
): Promise<ResponseTree | RequestProblem> {
  const unknown = request.using.find((capability) => !registry.capabilities.has(capability))
  if (unknown !== undefined) return unknownCapability(unknown)
  const run = new RequestRun(services, registry, principal, request, steps, { guard, asText })
  try {
    return {
      methodResponses: await run.all(),
      // RFC 8620 3.4: only if the request had it.
      ...(request.createdIds && { createdIds: run.context.createdIds.toObject() }),
      sessionState: await sessionState(services, registry, run.context.reads, principal),
    }
  } finally {
    await run.context.reads.end()
  }
}

/** The answer is discarded, or comes from another run. */
const DISCARDED: readonly FailureCode[] = ['abandoned', 'diverted', 'bulky']

const OVERDUE =
  'The request took too long and was ended. A narrower filter, a sort by receivedAt, or fewer objects take less.'

class RequestRun {
  readonly context: RequestContext
  readonly #registry: Registry
  readonly #request: JmapRequest
  readonly #responses: ResponseInvocation[] = []
  readonly #reads: RequestReads
  readonly #budget = newReferenceBudget()
  #callId = ''
  #pending: ResponseInvocation[] = []

  constructor(
    services: Services,
    registry: Registry,
    principal: Principal,
    request: JmapRequest,
    steps: IdempotentSteps | undefined,
    { guard, asText }: Required<RunOptions>,
  ) {
    this.#registry = registry
    this.#request = request
    this.#reads = new RequestReads(services.store, guard)
    this.context = {
      services,
      principal,
      using: new Set(request.using),
      createdIds: new CreationIds(request.createdIds),
      instances: new InstanceNumbers(),
      reads: this.#reads,
      guard,
      answer: new AnswerRoom(asText, guard),
      steps: steps ? new StepSequence(steps, services.keyring) : null,
      isReadOnly: (kind) => isReadOnly(registry, principal, kind),
      grantableScopes: registry.scopes,
      blobTypes: registry.blobTypes,
      implicit: async (name, args) => {
        this.#pending.push(await this.#call(name, args, this.#callId, true))
      },
    }
  }

  async all(): Promise<readonly ResponseInvocation[]> {
    for (const [name, args, callId] of this.#request.methodCalls) {
      this.#callId = callId
      this.#pending = []
      const response = await this.#call(name, args, callId)
      // RFC 8620 3.2, RFC 8621 7.5: responses of implicit calls follow that of their call, under its id.
      this.#responses.push(response, ...this.#pending)
    }
    return this.#responses
  }

  async #call(name: string, args: JsonObject, callId: string, implicit = false): Promise<ResponseInvocation> {
    try {
      const method = this.#registry.methods.get(name)
      if (!method || !(implicit || this.context.using.has(method.capability.urn)))
        throw new MethodError('unknownMethod')
      const resolved = resolveReferences(args, this.#responses, this.#budget)
      this.context.guard.check()
      this.context.answer.beginCall()
      const run = (): Promise<ResponseArguments> => method.run(this.context, resolved)
      if (!method.writes) {
        const result = await run()
        this.context.answer.take(result)
        return [name, result, callId]
      }
      const { writeElsewhere } = this.context.services
      if (writeElsewhere) return await this.#writeElsewhere(writeElsewhere, [name, resolved, callId])
      const result = await this.#reads.writing(run)
      forgetAccount(this.context)
      this.context.answer.takeAnyway(result)
      return [name, result, callId]
    } catch (error) {
      if (DISCARDED.some((code) => isFailure(error, code))) throw error
      return ['error', this.#describe(name, error).toArguments(), callId]
    }
  }

  /** A call that writes, in a request that runs in a reading thread since its other calls may take long. */
  async #writeElsewhere(write: NonNullable<Services['writeElsewhere']>, call: Invocation): Promise<ResponseInvocation> {
    const { context } = this
    await this.#reads.end()
    const createdIds = context.createdIds.toObject()
    const answer = await write(context.principal, { using: [...context.using], methodCalls: [call], createdIds })
    forgetAccount(context)
    if (!('methodResponses' in answer)) throw new TypeError(`${call[0]} was refused elsewhere: ${answer.detail}`)
    for (const [creationId, id] of Object.entries(answer.createdIds ?? {})) {
      if (createdIds[creationId] !== id) context.createdIds.add(creationId, id)
    }
    const [response, ...implicit] = answer.methodResponses
    context.answer.takeAnyway(response![1])
    this.#pending.push(...implicit)
    return response!
  }

  #describe(name: string, error: unknown): MethodError {
    if (error instanceof MethodError) return error
    // Erased after the call opened it.
    if (error instanceof AccountGone) return new MethodError('accountNotFound')
    if (isFailure(error, 'overdue')) return new MethodError('serverFail', OVERDUE, { isOverdue: true })
    const { logger } = this.context.services
    logger.error(
      { method: name, error: errorMessage(error), stack: error instanceof Error ? error.stack : undefined },
      'method failed',
    )
    if (isFailure(error, 'storageFull')) return new MethodError('serverUnavailable', 'The server has no room left.')
    // A retry does not help if data is corrupt.
    if (isFailure(error) && error.code !== 'corrupt') return new MethodError('serverUnavailable')
    return new MethodError('serverFail', 'Something went wrong on our side; nothing was changed.')
  }
}
