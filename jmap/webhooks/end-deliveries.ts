/** Ends deliveries that will not be made, because their webhook is switched off or deleted. */
import { WEBHOOK_STEP } from '../../server/base/webhook-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { updateDelivery } from '../../storage/repos/webhook-deliveries.ts'
import { makeDeliveriesDue, waitingDeliveries } from '../../storage/repos/webhook-delivery-queue.ts'
import { TEST_EVENT } from '../events/event-types.ts'
import { WebhookDelivery } from './webhook-delivery.type.ts'

/**
 * Inside the organization's unit of work. One call ends at most WEBHOOK_STEP deliveries; the worker's next claim ends the others. Tests
 * of a webhook that is switched off go on (decision D24).
 * @returns the number of deliveries that ended
 */
export async function endDeliveries(
  unit: AccountUnit,
  webhook: number,
  reason: 'webhook_disabled' | 'webhook_deleted',
): Promise<number> {
  const except = reason === 'webhook_disabled' ? TEST_EVENT : null
  const rows = await waitingDeliveries(unit, webhook, except, WEBHOOK_STEP)
  for (const row of rows) {
    await updateDelivery(unit, row, { status: 'failed', due_at: null, lease: null, lease_until: 0, last_error: reason })
    unit.change(WebhookDelivery.name, row.id!, 'u', ['status', 'lastError', 'nextAttemptAt'])
  }
  if (rows.length === WEBHOOK_STEP) await makeDeliveriesDue(unit, webhook)
  return rows.length
}
