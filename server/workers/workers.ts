/** All that works behind everybody's back, made in one place: whoever adds a worker adds it to the list. */
import type { Core } from '../../jmap/core.ts'
import type { HostedCore } from '../../jmap/create-core.ts'
import type { DraftTask } from '../../jmap/mail/delivery/model-drafts.ts'
import { Vapid } from '../../jmap/push/vapid.ts'
import type { Clock } from '../base/clock.ts'
import { randomId } from '../base/ids.ts'
import { SWEEP_EVERY_MS, SWEEP_FIRST_MS } from '../base/limits.ts'
import type { Logger } from '../base/logger.ts'
import { OWNER_MAIL_EVERY_MS, REPUTATION_EVERY_MS } from '../base/sending-limits.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Egress } from '../egress/safe-fetch.ts'
import { DomainCheckWorker } from './domain-checks/domain-check-worker.ts'
import { askModel } from './drafts/ask-model.ts'
import { DraftWorker } from './drafts/draft-worker.ts'
import { Periodic } from './periodic.ts'
import { postPush } from './push/post.ts'
import { PushWorker } from './push/push-worker.ts'
import { postDelivery } from './webhooks/post-delivery.ts'
import { WebhookWorker } from './webhooks/webhook-worker.ts'

export interface Worker {
  start(): void | Promise<void>
  /** Begins nothing more; resolves when what it waits for is done. */
  stop(): void | Promise<void>
}

export interface WorkerOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock: Clock
  readonly logger: Logger
  /** As the doors see it. */
  readonly core: Core
  readonly host: HostedCore
  /** To public addresses. */
  readonly egress: Egress
  /** Where webhooks may lead. */
  readonly webhookEgress: Egress
  /** To what the operator names. */
  readonly inside: Egress
}

/** In the order in which they start; nothing runs yet. */
export function createWorkers(options: WorkerOptions): Worker[] {
  const { config, clock, logger, host } = options
  const workers: Worker[] = [
    createSweeper(host, clock, logger),
    createPushWorker(options),
    new DomainCheckWorker({ core: host, clock, logger }),
    createReputationWorker(host, clock, logger),
    new Periodic({
      name: 'write to owners',
      turn: () => host.mailOwners(),
      everyMs: OWNER_MAIL_EVERY_MS,
      clock,
      logger,
    }),
    createWebhookWorker(options),
  ]
  if (config.model) workers.push(createDraftWorker(options, config.model))
  return workers
}

function createSweeper(host: HostedCore, clock: Clock, logger: Logger): Worker {
  const sweeper = new Periodic({
    name: 'sweep',
    turn: () => host.sweep(),
    firstMs: SWEEP_FIRST_MS,
    everyMs: SWEEP_EVERY_MS,
    clock,
    logger,
  })
  // A sweep under way is the core's to break off when it is closed.
  return { start: () => sweeper.start(), stop: () => void sweeper.stop() }
}

function createReputationWorker(host: HostedCore, clock: Clock, logger: Logger): Worker {
  const turn = () => host.evaluateReputations()
  return new Periodic({ name: 'look at reputations', turn, everyMs: REPUTATION_EVERY_MS, clock, logger })
}

function createPushWorker({ config, clock, logger, core, egress }: WorkerOptions): Worker {
  // RFC 8292 2.1: whom a push service may turn to.
  const vapid = new Vapid(core.push.vapidKeys, `mailto:${config.postmaster}`, clock)
  const fetch = egress.fetch.bind(egress)
  return new PushWorker({ core, post: (push) => postPush({ fetch, vapid, clock, logger }, push), clock, logger })
}

function createWebhookWorker({ config, clock, logger, host, webhookEgress }: WorkerOptions): Worker {
  const { headerPrefix } = config.webhooks
  const fetch = webhookEgress.fetch.bind(webhookEgress)
  const post = postDelivery.bind(null, { fetch, headerPrefix, clock, logger })
  return new WebhookWorker({ core: host, post, clock, logger })
}

function createDraftWorker(
  { secrets, clock, logger, host, inside }: WorkerOptions,
  model: NonNullable<Config['model']>,
): Worker {
  const endpoint = { url: model.url, model: model.name, key: secrets.modelKey, fetch: inside.fetch.bind(inside) }
  // A marker that nobody can write into a message beforehand.
  const ask = (task: DraftTask) => askModel(endpoint, task, `=== ${randomId('mark')} ===`)
  return new DraftWorker({ core: host, ask, clock, logger })
}
