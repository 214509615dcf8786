/**
 * The queue of webhook deliveries, for the worker that makes them (server/workers/webhooks). A claim goes round the webhooks with
 * pending deliveries and takes a few of each, so that a slow receiver does not hold up the others.
 */
import { randomUUID } from 'node:crypto'
import { errorMessage } from '../../server/base/errors.ts'
import { WEBHOOK_STEP, WEBHOOKS_PER_CLAIM } from '../../server/base/webhook-limits.ts'
import type { Sql, Store, Unit } from '../../storage/ports.ts'
import { findEvent } from '../../storage/repos/events.ts'
import { nextWithNew, numberDeliveries } from '../../storage/repos/webhook-deliveries.ts'
import {
  claimDeliveries,
  nextDeliveryAt,
  nextPendingWebhook,
  type PendingWebhook,
} from '../../storage/repos/webhook-delivery-queue.ts'
import type { WebhookDeliveryTable } from '../../storage/schema/tables.ts'
import { TEST_EVENT } from '../events/event-types.ts'
import type { Services } from '../type/context.ts'
import { endDeliveries } from './end-deliveries.ts'
import { envelopeOf } from './envelope.ts'
import { findWebhook, secretsOf } from './stored.ts'
import type { StoredWebhook } from './webhook.type.ts'

/** A delivery that is due, leased to a worker. */
export interface QueuedDelivery {
  readonly account: number
  readonly number: number
  readonly organization: number
  /** Object number of the Webhook. */
  readonly webhook: number
  /** A report under another lease changes nothing. */
  readonly lease: string
  readonly url: string
  /** `previous`: deliveries are also signed with this secret; null: only with the present one. */
  readonly secrets: { readonly current: string; readonly previous: string | null }
  readonly body: string
}

/** How many more attempts each webhook may have under way. */
export interface WebhookRoom {
  readonly each: number
  /** Webhooks with another limit than `each`. */
  readonly others: readonly { readonly organization: number; readonly webhook: number; readonly room: number }[]
}

interface Claimed {
  readonly rows: readonly WebhookDeliveryTable[]
  /** Webhooks that are switched off or deleted and have pending deliveries. */
  readonly ended: readonly { readonly pending: PendingWebhook; readonly isGone: boolean }[]
  readonly place: Place
}

type Place = Pick<PendingWebhook, 'organization' | 'webhook'>
const START: Place = { organization: 0, webhook: 0 }

/** The webhook at which each worker's last claim ended. The next claim continues there, so that every webhook gets its turn. */
export type WebhookPlaces = Map<string, Place>

export async function claimWebhookDeliveries(
  services: Services & { readonly webhookPlaces: WebhookPlaces },
  owner: string,
  limit: number,
  leaseMs: number,
  room: WebhookRoom,
): Promise<QueuedDelivery[]> {
  const { store, webhookPlaces } = services
  await numberNew(store)
  const lease = `${owner}:${randomUUID()}`
  const from = webhookPlaces.get(owner) ?? START
  const { rows, ended, place } = await store.write([], (unit) =>
    claimAlong(unit, from, room, limit, { lease, leaseMs }),
  )
  webhookPlaces.set(owner, place)
  for (const { pending, isGone } of ended) await end(store, pending, isGone)
  return describe(services, rows, lease)
}

/** Epoch ms when the next delivery may be claimed; null: none is pending. */
export function nextDeliveryTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextDeliveryAt)
}

/** Gives object numbers in the organization to deliveries that were written in units of work of mailboxes. */
async function numberNew(store: Store): Promise<void> {
  for (let after = 0; ; ) {
    const organization = await store.read((reader) => nextWithNew(reader, after))
    if (organization === null) return
    after = organization
    let count: number
    do {
      count = await store.write([organization], (work) => numberDeliveries(work.account(organization), WEBHOOK_STEP))
    } while (count === WEBHOOK_STEP)
  }
}

async function end(store: Store, { organization, webhook }: PendingWebhook, isGone: boolean): Promise<void> {
  await store.write([organization], (work) =>
    endDeliveries(work.account(organization), webhook, isGone ? 'webhook_deleted' : 'webhook_disabled'),
  )
}

async function describe(
  { store, ids, keyring, clock, logger }: Services,
  rows: readonly WebhookDeliveryTable[],
  lease: string,
): Promise<QueuedDelivery[]> {
  const described: QueuedDelivery[] = []
  await store.read(async (reader) => {
    for (const row of rows) {
      const { account, number, organization, webhook, event_account, event } = row
      try {
        const stored = await findWebhook(reader, organization, webhook)
        const told = await findEvent(reader, { organization, account: event_account, number: event })
        if (!stored || !told) continue
        const secrets = secretsOf(keyring, organization, webhook, stored, clock.now())
        const { url } = stored
        described.push({ account, number, organization, webhook, lease, url, secrets, body: envelopeOf(ids, told) })
      } catch (error) {
        // A delivery that cannot be read must not block the others. Its lease ends and it is tried again.
        logger.error({ organization, webhook, error: errorMessage(error) }, 'a webhook could not be read')
      }
    }
  })
  return described
}

async function claimAlong(
  unit: Unit,
  from: Place,
  room: WebhookRoom,
  limit: number,
  { lease, leaseMs }: { lease: string; leaseMs: number },
): Promise<Claimed> {
  const { now, sql } = unit
  const rows: WebhookDeliveryTable[] = []
  const ended: { pending: PendingWebhook; isGone: boolean }[] = []
  let place = from
  for await (const pending of pendingFrom(sql, from)) {
    place = pending
    if (pending.due_at > now) continue
    const webhook = await findWebhook(unit, pending.organization, pending.webhook)
    if (!webhook?.active) ended.push({ pending, isGone: webhook === null })
    if (!webhook) continue
    const claim = { now, lease, until: now + leaseMs, limit: Math.min(limit - rows.length, roomOf(room, pending)) }
    if (claim.limit > 0) rows.push(...(await claimDeliveries(sql, pending, onlyType(webhook), claim)))
    if (rows.length >= limit) break
  }
  return { rows, ended, place }
}

/** Webhooks after a place, then those before it, each once. */
async function* pendingFrom(sql: Sql, from: Place): AsyncGenerator<PendingWebhook> {
  let place = from
  let hasTurned = from === START
  for (let looked = 0; looked < WEBHOOKS_PER_CLAIM; looked++) {
    const pending = await nextPendingWebhook(sql, place)
    if (pending && !(hasTurned && from !== START && isAfter(pending, from))) {
      yield pending
      place = pending
    } else if (hasTurned) return
    else {
      hasTurned = true
      place = START
    }
  }
}

function isAfter(one: Place, other: Place): boolean {
  return one.organization === other.organization ? one.webhook > other.webhook : one.organization > other.organization
}

function roomOf({ each, others }: WebhookRoom, { organization, webhook }: PendingWebhook): number {
  return others.find((one) => one.organization === organization && one.webhook === webhook)?.room ?? each
}

/** A webhook that is switched off only gets test events. */
function onlyType({ active }: StoredWebhook): string | null {
  return active ? null : TEST_EVENT
}
