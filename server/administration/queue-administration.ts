/** The outgoing queue for the command line: JMAP calls by the system principal. */
import { SERVICE } from '../../jmap/capabilities.ts'
import type { JsonObject } from '../../jmap/protocol/json.ts'
import type { Core } from '../../jmap/services.ts'
import { Failure } from '../base/errors.ts'
import { QUEUE_LIST_MAX } from '../base/outbound-limits.ts'
import { SYSTEM } from '../base/principal.ts'

export interface QueueEntry {
  readonly submissionId: string
  readonly mailFrom: string
  readonly queuedAt: string
  readonly destination: string
  readonly attempts: number
  readonly nextAttemptAt: string | null
  readonly state: string
  readonly reason: string
  readonly recipients: readonly { readonly email: string; readonly smtpReply: string | null }[]
}

export type QueueFilter = {
  readonly submissionId: string | null
  readonly destination: string | null
  readonly isHeld: boolean | null
}

export class QueueAdministration {
  readonly #core: Pick<Core, 'process'>

  constructor(core: Pick<Core, 'process'>) {
    this.#core = core
  }

  /** Reads page by page, because a queue may have any length. */
  async *entries(organization: string, filter: QueueFilter): AsyncGenerator<QueueEntry> {
    let after: string | null = null
    do {
      const page: JsonObject = await this.#call(organization, 'Queue/list', { ...filter, after })
      yield* page['list'] as unknown as readonly QueueEntry[]
      after = page['next'] as string | null
    } while (after !== null)
  }

  async change(
    organization: string,
    ids: readonly string[],
    destination: string | null,
    action: string,
  ): Promise<{ changed: number; refused: [id: string, reason: string][] }> {
    let changed = 0
    const refused: [string, string][] = []
    for (let from = 0; from < ids.length; from += QUEUE_LIST_MAX) {
      const submissionIds = ids.slice(from, from + QUEUE_LIST_MAX)
      const result = await this.#call(organization, 'Queue/change', { submissionIds, destination, action })
      changed += ((result['changed'] ?? []) as unknown[]).length
      const errors = (result['notChanged'] ?? {}) as { [id: string]: { type: string; description?: string } }
      for (const [id, { type, description }] of Object.entries(errors))
        refused.push([id, type === 'notFound' ? type : (description ?? type)])
    }
    return { changed, refused }
  }

  async #call(accountId: string, method: string, args: JsonObject): Promise<JsonObject> {
    const request = { using: [SERVICE], methodCalls: [[method, { accountId, ...args }, '0'] as const] }
    const response = await this.#core.process(SYSTEM, request as never)
    const [name, result] = 'methodResponses' in response ? response.methodResponses[0]! : ['error', response]
    if (name !== 'error') return result as JsonObject
    const { type, description } = result as { type?: string; description?: string }
    throw new Failure('storageUnavailable', `${method} failed: ${description ?? type}`)
  }
}
