/** Runs the calls of an endpoint by the dispatcher that serves /jmap/api, in process. There is no other way to the data. */

import type { Download, UploadResult } from '../../jmap/blob-transfer.ts'
import { isObject } from '../../jmap/protocol/json-object.ts'
import type { Invocation } from '../../jmap/protocol/messages.ts'
import type { Core } from '../../jmap/services.ts'
import type { IdempotentSteps } from '../../jmap/type/idempotent-steps.ts'
import type { Guard } from '../../server/base/guard.ts'
import type { JsonObject } from '../../server/base/json.ts'
import type { Principal } from '../../server/base/principal.ts'
import { ApiError } from '../errors/api-error.ts'
import { fromMethodError } from '../errors/jmap-errors.ts'
import { USING } from '../schema/jmap-types.ts'
import type { AnswerOf, Answers, Calls } from './jmap-calls.ts'
import type { ReadStates } from './read-states.ts'

export type CoreDoor = Pick<Core, 'process' | 'upload' | 'download'>

/** The answers of a round of calls, by call id; a call that failed has `methodError` (RFC 8620 3.6.2). */
export type RoundAnswers = { readonly [callId: string]: JsonObject }

/** The error of a call that failed; null: it has an answer. */
export function methodErrorOf({ methodError }: JsonObject): JsonObject | null {
  return isObject(methodError) ? methodError : null
}

/** Makes a round of calls, or returns the answers that the same round had before. */
export type RunRound = (make: (steps?: IdempotentSteps) => Promise<RoundAnswers>) => Promise<RoundAnswers>

/** Data for all rounds of one request. */
export interface Around {
  /** Of a request with an Idempotency-Key. */
  readonly runRound?: RunRound
  /** Of a request with If-Match. */
  readonly states?: ReadStates
  /** Ends reads; without it they run to their end. */
  readonly guard?: Guard
}

export class JmapClient {
  readonly #core: CoreDoor
  readonly #caller: Principal
  readonly #principal: Principal
  readonly #around: Around

  /** @param caller as authenticated. Its scopes are those of endpoints, so the calls run without them. */
  constructor(core: CoreDoor, caller: Principal, around: Around = {}, scopes: Principal['scopes'] = null) {
    this.#core = core
    this.#caller = caller
    this.#principal = { ...caller, scopes }
    this.#around = around
  }

  /** A client whose calls have the scopes of the key, for calls that grant them to others. */
  withOwnScopes(): JmapClient {
    return new JmapClient(this.#core, this.#caller, this.#around, this.#caller.scopes)
  }

  /** A client for all mailboxes of the organization, only to find out whether one exists that the key may not use. */
  forWholeOrganization(): JmapClient {
    const { domains: _domains, ...principal } = this.#principal
    return new JmapClient(this.#core, { ...principal, mailboxes: 'all' }, this.#around)
  }

  #runRound(make: Parameters<RunRound>[0]): Promise<RoundAnswers> {
    const { runRound } = this.#around
    return runRound ? runRound(make) : make()
  }

  /** One round: all calls in one request. @throws ApiError of the first method error */
  async call<C extends Calls, More extends Calls = Record<never, never>>(
    calls: C,
    more?: More,
  ): Promise<Answers<C> & Answers<More>> {
    const answers = await this.#runRound((steps) => this.#make({ ...calls, ...more }, steps))
    for (const answer of Object.values(answers)) {
      const error = methodErrorOf(answer)
      if (error) throw fromMethodError(error)
    }
    return answers as Answers<C> & Answers<More>
  }

  /** The same for independent calls: a failed one has its error in place of its answer. */
  async settle<C extends Calls>(calls: C): Promise<{ readonly [K in keyof C]: AnswerOf<C[K]> | ApiError }> {
    const answers = await this.#runRound((steps) => this.#make(calls, steps))
    const settled = Object.entries(answers).map(([id, answer]) => {
      const error = methodErrorOf(answer)
      return [id, error ? fromMethodError(error) : answer]
    })
    return Object.fromEntries(settled)
  }

  async #make(calls: Calls, steps?: IdempotentSteps): Promise<RoundAnswers> {
    const { states } = this.#around
    const methodCalls = Object.entries(calls).map(
      ([id, { method, args }]): Invocation => [method, states?.guard(method, args) ?? (args as JsonObject), id],
    )
    const answer = await this.#core.process(this.#principal, { using: USING, methodCalls }, steps, this.#around.guard)
    if (!('methodResponses' in answer)) throw new ApiError('internal_error', { cause: answer })
    const answers: { [callId: string]: JsonObject } = {}
    for (const [name, args, id] of answer.methodResponses) {
      if (name === 'error') answers[id] ??= { methodError: args }
      // RFC 8621 7.5: an implicit Email/set answers under the call id of its EmailSubmission/set.
      if (name === calls[id]?.method) answers[id] ??= args
      states?.note(name, args)
    }
    const missing = methodCalls.find(([, , id]) => answers[id] === undefined)
    if (missing) throw new Error(`no answer to ${missing[0]} (${missing[2]})`)
    return answers
  }

  /** null: the principal has no such account. It counts as a round: a repeated request uploads nothing again. */
  async upload(accountId: string, type: string, bytes: Uint8Array): Promise<UploadResult | null> {
    const { uploaded } = await this.#runRound(async () => {
      const result = await this.#core.upload(this.#principal, accountId, type, bytes)
      return { uploaded: { ...result } }
    })
    return uploaded && 'blobId' in uploaded ? (uploaded as unknown as UploadResult) : null
  }

  /** null: the principal has no such blob in this account. @param range octets `start` to `end`, `end` not included */
  download(accountId: string, blobId: string, range: { start: number; end: number }): Promise<Download | null> {
    return this.#core.download(this.#principal, accountId, blobId, range)
  }
}
