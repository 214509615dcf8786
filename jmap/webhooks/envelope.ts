/**
 * The body of a delivery: the contract's envelope of an event. It has the same octets at every attempt, so that receivers can detect
 * repeats.
 */
import type { IdCodec, IdKind } from '../../server/base/ids.ts'
import type { JsonObject } from '../../server/base/json.ts'
import type { EventTable, WebhookDeliveryTable } from '../../storage/schema/tables.ts'

export const EVENT_ID: IdKind = { idPrefix: 'evt' }

export function eventIdOf(ids: IdCodec, row: Pick<WebhookDeliveryTable, 'event_account' | 'event'>): string {
  return ids.encode(EVENT_ID, row.event_account, row.event)
}

export function envelopeOf(ids: IdCodec, row: EventTable): string {
  return JSON.stringify(envelopeObject(ids, row))
}

/** With its members in the order of the envelope. */
export function envelopeObject(ids: IdCodec, { account, number, type, at, data }: EventTable) {
  const event_id = ids.encode(EVENT_ID, account, number)
  const content = JSON.parse(data) as JsonObject
  return { event_id, event_type: type, created_at: new Date(at).toISOString(), data: content }
}
