/**
 * Posts events to webhooks: jmap/webhooks/queue.ts says which. Each webhook has a limit of deliveries under way, which is lower while
 * its receiver fails, so that receivers that stall leave room for the others.
 */
import type { DeliveryReport } from '../../../jmap/webhooks/outcome.ts'
import type { QueuedDelivery, WebhookRoom } from '../../../jmap/webhooks/queue.ts'
import {
  WEBHOOK_BUSY_MS,
  WEBHOOK_CONCURRENCY,
  WEBHOOK_CONCURRENCY_EACH,
  WEBHOOK_CONCURRENCY_FAILING,
  WEBHOOK_LEASE_MS,
  WEBHOOK_SWEEP_MS,
} from '../../base/webhook-limits.ts'
import { DueWorker } from '../due-worker.ts'
import type { WorkerDeps } from '../worker.ts'
import { postDelivery } from './post-delivery.ts'

export function webhookWorker(deps: WorkerDeps): DueWorker<QueuedDelivery> {
  const { config, core, webhookEgress, clock, logger } = deps
  const { headerPrefix } = config.webhooks
  const fetch = webhookEgress.fetch.bind(webhookEgress)
  const post = postDelivery.bind(null, { fetch, headerPrefix, clock, logger })
  return createWebhookWorker({ core, post, clock, logger })
}

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'webhooks' | 'onStateChange'>
  /** Never rejects. */
  readonly post: (delivery: QueuedDelivery) => Promise<DeliveryReport>
}

export function createWebhookWorker({ core, post, clock, logger }: Needs): DueWorker<QueuedDelivery> {
  const { webhooks } = core
  const running = new RunningDeliveries()
  return new DueWorker({
    name: 'webhook',
    work: {
      nextAt: webhooks.nextAt,
      async claim(owner, limit, leaseMs) {
        const claimed = await webhooks.claim(owner, limit, leaseMs, running.room())
        for (const delivery of claimed) running.begin(delivery)
        return claimed
      },
      async run(delivery) {
        let hasFailed = true
        try {
          const report = await post(delivery)
          hasFailed = report.result !== 'delivered'
          await webhooks.report(report)
        } finally {
          running.end(delivery, hasFailed)
        }
      },
    },
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('WebhookDelivery' in changed) worker.wake()
      }),
    concurrency: WEBHOOK_CONCURRENCY,
    leaseMs: WEBHOOK_LEASE_MS,
    sweepMs: WEBHOOK_SWEEP_MS,
    busyMs: WEBHOOK_BUSY_MS,
    clock,
    logger,
  })
}

type Place = Pick<QueuedDelivery, 'organization' | 'webhook'>

interface WebhookLoad extends Place {
  running: number
  /** Whether the last attempt failed. */
  hasFailed: boolean
}

/** Webhooks with deliveries under way, or whose last attempt failed. */
class RunningDeliveries {
  readonly #loads = new Map<string, WebhookLoad>()

  /** How many more deliveries each webhook may have. */
  room(): WebhookRoom {
    const others = [...this.#loads.values()].map(({ organization, webhook, running, hasFailed }) => {
      const most = hasFailed ? WEBHOOK_CONCURRENCY_FAILING : WEBHOOK_CONCURRENCY_EACH
      return { organization, webhook, room: Math.max(0, most - running) }
    })
    return { each: WEBHOOK_CONCURRENCY_EACH, others }
  }

  begin(place: Place): void {
    this.#load(place).running++
  }

  end(place: Place, hasFailed: boolean): void {
    const load = this.#load(place)
    load.running--
    load.hasFailed = hasFailed
    if (load.running === 0 && !hasFailed) this.#loads.delete(nameOf(place))
  }

  #load({ organization, webhook }: Place): WebhookLoad {
    const name = nameOf({ organization, webhook })
    const known = this.#loads.get(name) ?? { organization, webhook, running: 0, hasFailed: false }
    this.#loads.set(name, known)
    return known
  }
}

function nameOf({ organization, webhook }: Place): string {
  return `${organization}.${webhook}`
}
