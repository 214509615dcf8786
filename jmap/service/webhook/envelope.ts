/** What is posted: the contract's envelope of an event. The same octets at every attempt, so that receivers can tell it by them. */
import type { IdCodec } from '../../../server/base/ids.ts'
import type { EventTable } from '../../../storage/schema/event.ts'
import type { WebhookDeliveryTable } from '../../../storage/schema/webhook-delivery.ts'

export function eventIdOf(ids: IdCodec, row: Pick<WebhookDeliveryTable, 'event_account' | 'event'>): string {
  return ids.encode('Event', row.event_account, row.event)
}

export function envelopeOf(ids: IdCodec, { account, number, type, at, data }: EventTable): string {
  const event_id = ids.encode('Event', account, number)
  return JSON.stringify({ event_id, event_type: type, created_at: new Date(at).toISOString(), data: JSON.parse(data) })
}
