/**
 * Posts events to webhooks: jmap/webhooks/queue.ts says which. Each webhook has a limit of deliveries under way, which is lower while
 * its receiver fails, so that receivers that stall leave room for the others.
 */
import type { DeliveryReport } from '../../../jmap/webhooks/outcome.ts'
import type { QueuedDelivery, WebhookRoom } from '../../../jmap/webhooks/queue.ts'
import type { Clock } from '../../base/clock.ts'
import {
  WEBHOOK_BUSY_MS,
  WEBHOOK_CONCURRENCY,
  WEBHOOK_CONCURRENCY_EACH,
  WEBHOOK_CONCURRENCY_FAILING,
  WEBHOOK_FAILING_MS,
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
  const running = new RunningDeliveries(clock)
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
  /** Epoch ms until which it counts as one that fails; 0: its last attempt succeeded. */
  failingUntil: number
}

/** Webhooks with deliveries under way, or whose last attempt failed not long ago. */
class RunningDeliveries {
  readonly #clock: Clock
  readonly #loads = new Map<string, WebhookLoad>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How many more deliveries each webhook may have. */
  room(): WebhookRoom {
    const now = this.#clock.now()
    // Deleted ones and those that are switched off have no further attempt that would end here.
    for (const [name, { running, failingUntil }] of this.#loads)
      if (running === 0 && failingUntil <= now) this.#loads.delete(name)
    const others = [...this.#loads.values()].map(({ organization, webhook, running, failingUntil }) => {
      const most = failingUntil > now ? WEBHOOK_CONCURRENCY_FAILING : WEBHOOK_CONCURRENCY_EACH
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
    load.failingUntil = hasFailed ? this.#clock.now() + WEBHOOK_FAILING_MS : 0
  }

  #load({ organization, webhook }: Place): WebhookLoad {
    const name = nameOf({ organization, webhook })
    const known = this.#loads.get(name) ?? { organization, webhook, running: 0, failingUntil: 0 }
    this.#loads.set(name, known)
    return known
  }
}

function nameOf({ organization, webhook }: Place): string {
  return `${organization}.${webhook}`
}
