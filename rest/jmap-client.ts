/** Runs an endpoint's calls through the one door to the data: the dispatcher that serves /jmap/api, in process. */
import type { Core, Download, Invocation, UploadResult } from '../jmap/core.ts'
import type { IdempotentSteps } from '../jmap/idempotent-steps.ts'
import type { Principal } from '../server/base/principal.ts'
import type { Answers, Calls } from './jmap-calls.ts'
import { USING } from './jmap-types.ts'
import type { KeyedRun } from './keyed-run.ts'
import { Problem } from './problem.ts'
import { methodProblem } from './problems.ts'

export type CoreDoor = Pick<Core, 'process' | 'upload' | 'download'>

export class JmapClient {
  readonly #core: CoreDoor
  readonly #asker: Principal
  readonly #principal: Principal
  readonly #keyed: KeyedRun | undefined

  /**
   * @param principal as authenticated. Its scopes are those of endpoints, so the calls run without them.
   * @param keyed the request carries an Idempotency-Key
   */
  constructor(core: CoreDoor, principal: Principal, keyed?: KeyedRun, scopes: Principal['scopes'] = null) {
    this.#core = core
    this.#keyed = keyed
    this.#asker = principal
    this.#principal = { ...principal, scopes }
  }

  /** The same door with no more scopes than the key has: for what passes them on. */
  withOwnScopes(): JmapClient {
    return new JmapClient(this.#core, this.#asker, this.#keyed, this.#asker.scopes)
  }

  /** The same door for all mailboxes of the organization: only to tell whether one exists that the key may not use. */
  forWholeOrganization(): JmapClient {
    const { domains: _domains, ...principal } = this.#principal
    return new JmapClient(this.#core, { ...principal, mailboxes: 'all' })
  }

  /** One round: one request, its answers by call id. @throws Problem of the first method error */
  call<C extends Calls>(calls: C): Promise<Answers<C>> {
    return this.#keyed ? this.#keyed.round((steps) => this.#make(calls, steps)) : this.#make(calls)
  }

  async #make<C extends Calls>(calls: C, steps?: IdempotentSteps): Promise<Answers<C>> {
    const methodCalls = Object.entries(calls).map(([id, call]): Invocation => [call.method, call.args, id])
    const answer = await this.#core.process(this.#principal, { using: USING, methodCalls }, steps)
    if (!('methodResponses' in answer)) throw new Problem('internal_error', { cause: answer })
    const answers: { [callId: string]: unknown } = {}
    for (const [name, args, id] of answer.methodResponses) {
      if (name === 'error') throw methodProblem(args as { type: string })
      // RFC 8621 7.5: an implicit Email/set answers under the call id of its EmailSubmission/set.
      if (name === calls[id]?.method) answers[id] ??= args
    }
    const missing = methodCalls.find(([, , id]) => answers[id] === undefined)
    if (missing) throw new Error(`no answer to ${missing[0]} (${missing[2]})`)
    return answers as Answers<C>
  }

  /** null: no such account for this principal. */
  upload(accountId: string, type: string, bytes: Uint8Array): Promise<UploadResult | null> {
    return this.#core.upload(this.#principal, accountId, type, bytes)
  }

  /** null: no such blob for this principal in this account. @param range octets `start` to `end`, `end` not included */
  download(accountId: string, blobId: string, range: { start: number; end: number }): Promise<Download | null> {
    return this.#core.download(this.#principal, accountId, blobId, range)
  }
}
