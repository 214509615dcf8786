/** The outgoing queue for the command line: JMAP calls by the system principal. */

import { type QueueAction, QueueChange, type QueueEntry, QueueList } from '../../jmap/mail/queue/queue.type.ts'
import type { Core } from '../../jmap/services.ts'
import type { AnswerOf } from '../../jmap/type/method-declaration.ts'
import { QUEUE_LIST_MAX } from '../base/outbound-limits.ts'
import { callMethod } from './system-call.ts'

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
      const page: AnswerOf<typeof QueueList> = await callMethod(this.#core, QueueList, {
        accountId: organization,
        ...filter,
        after,
      })
      yield* page.list
      after = page.next
    } while (after !== null)
  }

  async change(
    organization: string,
    ids: readonly string[],
    destination: string | null,
    action: QueueAction,
  ): Promise<{ changed: number; refused: [id: string, reason: string][] }> {
    let changed = 0
    const refused: [string, string][] = []
    for (let from = 0; from < ids.length; from += QUEUE_LIST_MAX) {
      const submissionIds = ids.slice(from, from + QUEUE_LIST_MAX)
      const args = { accountId: organization, submissionIds, destination, action }
      const result = await callMethod(this.#core, QueueChange, args)
      changed += (result.changed ?? []).length
      for (const [id, { type, description }] of Object.entries(result.notChanged ?? {}))
        refused.push([id, type === 'notFound' ? type : (description ?? type)])
    }
    return { changed, refused }
  }
}
