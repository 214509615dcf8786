/** Asks a model for the replies that inbox rules want (jmap/delivery/model-drafts.ts). */
import type { DraftOutcome, DraftTask } from '../../../jmap/delivery/model-drafts.ts'
import { DRAFT_CLAIM_MAX, DRAFT_GATHER_MS, DRAFT_LEASE_MS, DRAFT_SWEEP_MS } from '../../base/delivery-limits.ts'
import { randomId } from '../../base/ids.ts'
import { DueWorker } from '../due-worker.ts'
import type { WorkerDeps } from '../worker.ts'
import { askModel } from './ask-model.ts'

/** null: the operator has configured no model. */
export function draftWorker({ config, secrets, core, inside, clock, logger }: WorkerDeps): DueWorker<DraftTask> | null {
  const { model } = config
  if (!model) return null
  const endpoint = { url: model.url, model: model.name, key: secrets.modelKey, fetch: inside.fetch.bind(inside) }
  // The author of a message cannot know the marker.
  const ask = (task: DraftTask) => askModel(endpoint, task, `=== ${randomId('mark')} ===`)
  return createDraftWorker({ core, ask, clock, logger })
}

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'modelDrafts' | 'onStateChange'>
  /** Never rejects. */
  readonly ask: (task: DraftTask) => Promise<DraftOutcome>
}

export function createDraftWorker({ core, ask, clock, logger }: Needs): DueWorker<DraftTask> {
  const { modelDrafts } = core
  const worker: DueWorker<DraftTask> = new DueWorker({
    name: 'draft',
    work: {
      ...modelDrafts,
      async run(task) {
        const outcome = await ask(task)
        if (worker.isRunning) await modelDrafts.report(task, outcome)
      },
    },
    // Requests come with mail. A short wait gathers those of many messages in one claim.
    listen: () =>
      core.onStateChange(({ changed }) => {
        if ('EmailDelivery' in changed) worker.wakeIn(DRAFT_GATHER_MS)
      }),
    isAbandonedByStop: true,
    concurrency: DRAFT_CLAIM_MAX,
    leaseMs: DRAFT_LEASE_MS,
    sweepMs: DRAFT_SWEEP_MS,
    busyMs: DRAFT_GATHER_MS,
    clock,
    logger,
  })
  return worker
}
