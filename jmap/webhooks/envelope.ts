/**
 * The body of a delivery: the contract's envelope of an event. It has the same octets at every attempt, so that receivers can detect
 * repeats.
 */
import type { IdCodec, IdKind } from '../../server/base/ids.ts'
import type { EventTable, WebhookDeliveryTable } from '../../storage/schema/tables.ts'

export const EVENT_ID: IdKind = { idPrefix: 'evt' }

export function eventIdOf(ids: IdCodec, row: Pick<WebhookDeliveryTable, 'event_account' | 'event'>): string {
  return ids.encode(EVENT_ID, row.event_account, row.event)
}

export function envelopeOf(ids: IdCodec, { account, number, type, at, data }: EventTable): string {
  const event_id = ids.encode(EVENT_ID, account, number)
  return JSON.stringify({ event_id, event_type: type, created_at: new Date(at).toISOString(), data: JSON.parse(data) })
}
