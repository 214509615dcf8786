/**
 * Posts events to webhooks: jmap/service/webhook/queue.ts says which. Each webhook has room of its own for what is under way, and less
 * of it while its receiver fails, so that those that stall leave room for the others.
 */
import type { Core } from '../../../jmap/core.ts'
import type { DeliveryReport } from '../../../jmap/service/webhook/outcome.ts'
import type { LaneRoom, QueuedDelivery, WebhookQueue } from '../../../jmap/service/webhook/queue.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import {
  WEBHOOK_BUSY_MS,
  WEBHOOK_CONCURRENCY,
  WEBHOOK_CONCURRENCY_EACH,
  WEBHOOK_CONCURRENCY_FAILING,
  WEBHOOK_LEASE_MS,
  WEBHOOK_SWEEP_MS,
} from '../../base/webhook-limits.ts'
import { DueWorker } from '../due-worker.ts'

export interface WebhookWorkerOptions {
  readonly core: Pick<Core, 'onStateChange'> & { readonly webhooks: WebhookQueue }
  /** Never rejects. */
  readonly post: (delivery: QueuedDelivery) => Promise<DeliveryReport>
  readonly clock: Clock
  readonly logger: Logger
}

interface Lane {
  readonly organization: number
  readonly webhook: number
  underWay: number
  /** Its last attempt. */
  hasFailed: boolean
}

export class WebhookWorker {
  readonly #options: WebhookWorkerOptions
  readonly #worker: DueWorker<QueuedDelivery>
  /** Webhooks with something under way, or whose last attempt failed. */
  readonly #lanes = new Map<string, Lane>()
  #unsubscribe: () => void = () => {}

  constructor(options: WebhookWorkerOptions) {
    const { core, clock, logger } = options
    this.#options = options
    this.#worker = new DueWorker({
      name: 'webhook',
      work: {
        nextAt: () => core.webhooks.nextAt(),
        claim: (owner, limit, leaseMs) => this.#claim(owner, limit, leaseMs),
        run: (delivery) => this.#run(delivery),
      },
      concurrency: WEBHOOK_CONCURRENCY,
      leaseMs: WEBHOOK_LEASE_MS,
      sweepMs: WEBHOOK_SWEEP_MS,
      busyMs: WEBHOOK_BUSY_MS,
      clock,
      logger,
    })
  }

  start(): void {
    this.#unsubscribe = this.#options.core.onStateChange(({ changed }) => {
      if ('WebhookDelivery' in changed) this.#worker.wake()
    })
    this.#worker.start()
  }

  /** Begins nothing more and waits for what is under way: a receiver that has taken an event need not get it twice. */
  stop(): Promise<void> {
    this.#unsubscribe()
    return this.#worker.stop()
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }

  async #claim(owner: string, limit: number, leaseMs: number): Promise<readonly QueuedDelivery[]> {
    const claimed = await this.#options.core.webhooks.claim(owner, limit, leaseMs, this.#room())
    for (const delivery of claimed) this.#lane(delivery).underWay++
    return claimed
  }

  #room(): LaneRoom {
    const others = [...this.#lanes.values()].map(({ organization, webhook, underWay, hasFailed }) => {
      const most = hasFailed ? WEBHOOK_CONCURRENCY_FAILING : WEBHOOK_CONCURRENCY_EACH
      return { organization, webhook, room: Math.max(0, most - underWay) }
    })
    return { each: WEBHOOK_CONCURRENCY_EACH, others }
  }

  async #run(delivery: QueuedDelivery): Promise<void> {
    const lane = this.#lane(delivery)
    try {
      const report = await this.#options.post(delivery)
      lane.hasFailed = report.result !== 'delivered'
      await this.#options.core.webhooks.report(report)
    } finally {
      lane.underWay--
      if (lane.underWay === 0 && !lane.hasFailed) this.#lanes.delete(nameOf(lane))
    }
  }

  #lane({ organization, webhook }: Pick<Lane, 'organization' | 'webhook'>): Lane {
    const name = nameOf({ organization, webhook })
    const known = this.#lanes.get(name) ?? { organization, webhook, underWay: 0, hasFailed: false }
    this.#lanes.set(name, known)
    return known
  }
}

function nameOf({ organization, webhook }: Pick<Lane, 'organization' | 'webhook'>): string {
  return `${organization}.${webhook}`
}
