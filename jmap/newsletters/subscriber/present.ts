import type { SubscriberTable } from '../../../storage/schema/tables.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { Audience } from '../audience/audience.type.ts'
import { Subscriber, type SubscriberObject } from './subscriber.type.ts'

export function presentSubscriber(method: MethodContext, row: SubscriberTable): SubscriberObject {
  return {
    id: method.id(Subscriber, row.id),
    audienceId: method.id(Audience, row.audience),
    email: row.address,
    displayName: row.display_name,
    status: row.status,
    mergeFields: Subscriber.properties.mergeFields.fromText(row.merge_fields),
    consentSource: row.consent_source,
    consentedAt: formatUTCDate(row.consented_at),
    createdAt: formatUTCDate(row.created_at),
    updatedAt: formatUTCDate(row.updated_at),
  }
}
