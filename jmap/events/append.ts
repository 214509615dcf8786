/** Appends events in the unit of work that makes the reported change (decision D24). */
import type { AccountUnit } from '../../storage/ports.ts'
import { insertEvent } from '../../storage/repos/events.ts'
import { insertDelivery } from '../../storage/repos/webhook-deliveries.ts'
import { webhooksFor } from '../../storage/repos/webhook-subscriptions.ts'
import { type EventType, TEST_EVENT } from './event-types.ts'

/** The value of `data` in the API's documentation, with ids. */
type EventData = { readonly [name: string]: unknown }

/** Appends an event with a delivery for each active webhook of the organization that wants it. */
export async function appendEvent(unit: AccountUnit, type: EventType, data: EventData): Promise<void> {
  const event = await insertEvent(unit, type, data)
  for (const webhook of await webhooksFor(unit, unit.organization, type)) await insertDelivery(unit, { webhook, event })
}

/**
 * Appends an event that only one webhook gets.
 * @param unit of the organization
 * @returns the event's number and the delivery's object number
 */
export async function appendTestEvent(
  unit: AccountUnit,
  webhook: number,
  data: EventData,
): Promise<{ readonly event: number; readonly delivery: number }> {
  const event = await insertEvent(unit, TEST_EVENT, data)
  return { event: event.number, delivery: (await insertDelivery(unit, { webhook, event }))! }
}
