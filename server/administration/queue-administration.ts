/** The outgoing queue for the command line: JMAP calls by the system principal. */

import type { queueChangeMethod } from '../../jmap/mail/queue/change.ts'
import type { queueListMethod } from '../../jmap/mail/queue/list.ts'
import type { Core } from '../../jmap/services.ts'
import type { AnswerOf } from '../../jmap/type/method.ts'
import { QUEUE_LIST_MAX } from '../base/outbound-limits.ts'
import { callAsSystem } from './system-call.ts'

type QueuePage = AnswerOf<typeof queueListMethod>
export type QueueEntry = QueuePage['list'][number]

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
      const page: QueuePage = await callAsSystem(this.#core, organization, 'Queue/list', { ...filter, after })
      yield* page.list
      after = page.next
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
      const args = { submissionIds, destination, action }
      const result = await callAsSystem<AnswerOf<typeof queueChangeMethod>>(
        this.#core,
        organization,
        'Queue/change',
        args,
      )
      changed += (result.changed ?? []).length
      for (const [id, { type, description }] of Object.entries(result.notChanged ?? {}))
        refused.push([id, type === 'notFound' ? type : (description ?? type)])
    }
    return { changed, refused }
  }
}
