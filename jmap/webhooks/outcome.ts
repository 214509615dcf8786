/** Records the result of an attempt in its delivery and its webhook (decision D24). */
import {
  WEBHOOK_ERROR_MAX_CHARS,
  WEBHOOK_FAILURES_MAX,
  WEBHOOK_NOTICE_EVERY_MS,
  WEBHOOK_RETRY_JITTER,
} from '../../server/base/webhook-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { updateDelivery } from '../../storage/repos/webhook-deliveries.ts'
import { findLeasedDelivery } from '../../storage/repos/webhook-delivery-queue.ts'
import { subscribeWebhook } from '../../storage/repos/webhook-subscriptions.ts'
import type { WebhookDeliveryTable } from '../../storage/schema/webhook-delivery.ts'
import { notifyOwner } from '../notices/notify-owner.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { Services } from '../type/context.ts'
import { endDeliveries } from './end-deliveries.ts'
import { findWebhook, keepWebhook } from './stored.ts'
import type { StoredWebhook } from './webhook.type.ts'
import { WebhookDelivery } from './webhook-delivery.type.ts'

export interface DeliveryReport {
  readonly account: number
  readonly number: number
  readonly organization: number
  readonly lease: string
  /** `refused`: no later attempt can succeed. `gone`: no delivery to this webhook can succeed. */
  readonly result: 'delivered' | 'failed' | 'refused' | 'gone'
  readonly status: number | null
  readonly error: string | null
  /** Text of the receiver's response; null: there was none. */
  readonly answer: string | null
}

export async function keepOutcome(services: Services, report: DeliveryReport): Promise<void> {
  const { organization } = report
  const notice = await services.store.write([organization], async (work) => {
    const unit = work.account(organization)
    const row = await findLeasedDelivery(unit, report, report.lease)
    if (row === null) return null
    const status = await keepAttempt(unit, row, report, services.limits.webhookRetryMs)
    return status === 'pending' ? null : keepStreak(unit, row, report, status)
  })
  if (notice) await notifyOwner(services, organization, letterOf(notice))
}

async function keepAttempt(
  unit: AccountUnit,
  row: WebhookDeliveryTable,
  { result, status, error, answer }: DeliveryReport,
  waits: readonly number[],
): Promise<WebhookDeliveryTable['status']> {
  const attempts = row.attempts + 1
  const wait = result === 'failed' ? waits[row.attempts] : undefined
  const next = result === 'delivered' ? 'delivered' : wait === undefined ? 'failed' : 'pending'
  await updateDelivery(unit, row, {
    status: next,
    attempts,
    due_at: wait === undefined ? null : unit.now + jittered(wait),
    lease: null,
    lease_until: 0,
    last_status: status,
    last_error: error?.slice(0, WEBHOOK_ERROR_MAX_CHARS) ?? null,
    answer,
    delivered_at: next === 'delivered' ? unit.now : null,
  })
  const seen = ['status', 'attempts', 'lastStatusCode', 'lastError', 'nextAttemptAt', 'deliveredAt', 'responseBody']
  unit.change(WebhookDelivery.name, row.id!, 'u', seen)
  return next
}

/** Varies a wait, so that a receiver that was down does not get all deliveries at once. */
function jittered(wait: number): number {
  return Math.round(wait * (1 + WEBHOOK_RETRY_JITTER * (2 * Math.random() - 1)))
}

/** What an organization's owner is informed of. */
interface WebhookNotice {
  readonly isDisabled: boolean
  readonly url: string
  readonly error: string
}

function letterOf({ isDisabled, url, error }: WebhookNotice): { readonly subject: string; readonly text: string } {
  const how =
    'What was not delivered can be seen, and delivered again, under the deliveries of the webhook for 30 days.'
  return isDisabled
    ? {
        subject: 'A webhook was switched off',
        text: `The webhook ${url} was switched off: its deliveries fail.\n\nThe last answer was: ${error}\n\nNothing more is posted there until you switch it on again. ${how}\n`,
      }
    : {
        subject: 'A webhook fails',
        text: `An event could not be delivered to the webhook ${url}, though it was tried several times.\n\nThe last answer was: ${error}\n\nAfter three such failures in a row it is switched off. ${how}\n`,
      }
}

/** Counts failed deliveries: three in a row, or one 410, switch the webhook off. A success sets the count to 0. */
async function keepStreak(
  unit: AccountUnit,
  row: WebhookDeliveryTable,
  { result, error }: DeliveryReport,
  status: WebhookDeliveryTable['status'],
): Promise<WebhookNotice | null> {
  const webhook = await findWebhook(unit, unit.account, row.webhook)
  if (!webhook) return null
  if (status === 'delivered') {
    if (webhook.failures > 0) await keepWebhook(unit, row.webhook, { ...webhook, failures: 0 }, [])
    return null
  }
  const failures = webhook.failures + 1
  const isOver = webhook.active && (result === 'gone' || failures >= WEBHOOK_FAILURES_MAX)
  const isTold = isOver || (failures === 1 && unit.now - (webhook.noticedAt ?? -Infinity) >= WEBHOOK_NOTICE_EVERY_MS)
  const next = { ...webhook, failures, ...(isTold && { noticedAt: unit.now }) }
  if (isOver) await disable(unit, row.webhook, next)
  else await keepWebhook(unit, row.webhook, next, [])
  if (!isTold) return null
  return { isDisabled: isOver, url: webhook.url, error: error ?? '' }
}

async function disable(unit: AccountUnit, number: number, webhook: StoredWebhook): Promise<void> {
  const dates = { updatedAt: formatUTCDate(unit.now) }
  await keepWebhook(unit, number, { ...webhook, ...dates, active: false }, ['active', 'updatedAt'])
  await subscribeWebhook(unit, number, [])
  await endDeliveries(unit, number, 'webhook_disabled')
}
