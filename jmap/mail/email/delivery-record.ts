/** The record of an Email's delivery, as its vendor properties show it. */

import { isOneOf } from '../../../server/base/known-names.ts'
import { findEmailDeliveries } from '../../../storage/repos/email-deliveries.ts'
import type { EmailDeliveryTable } from '../../../storage/schema/tables.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { p } from '../../type/property.ts'
import { Email } from './email.type.ts'

const DELIVERY_RECORD_PROPERTIES = ['deliveryTrace', 'spamVerdict', 'authentication'] as const
export type DeliveryRecordProperty = (typeof DELIVERY_RECORD_PROPERTIES)[number]

export function isDeliveryRecordProperty(property: string): property is DeliveryRecordProperty {
  return isOneOf(DELIVERY_RECORD_PROPERTIES, property)
}

export type DeliveryRecord = Pick<ObjectOf<typeof Email>, DeliveryRecordProperty>

const { spamVerdict, authentication } = Email.properties
/** As stored in the row. */
const StoredVerdict = p.object({ spam: spamVerdict.maybe(), authentication: authentication.maybe() })
type StoredVerdict = (typeof StoredVerdict)['is']['type']

const NONE: DeliveryRecord = { deliveryTrace: [], spamVerdict: null, authentication: null }

/** The records by email. An email that was not delivered has none. */
export async function deliveryRecordsOf({ method, reader }: ReadContext, emails: readonly number[]) {
  const rows = await findEmailDeliveries(reader, method.account.number, emails)
  const found = new Map(rows.map((row) => [row.email, new StoredDeliveryRecord(row)]))
  return (email: number): DeliveryRecord => found.get(email) ?? NONE
}

/** Parses what is asked for. */
class StoredDeliveryRecord implements DeliveryRecord {
  readonly #row: EmailDeliveryTable
  #parsed: StoredVerdict | undefined

  constructor(row: EmailDeliveryTable) {
    this.#row = row
  }

  get deliveryTrace() {
    return Email.properties.deliveryTrace.fromText(this.#row.trace)
  }

  get spamVerdict() {
    return this.#verdict.spam ?? null
  }

  get authentication() {
    return this.#verdict.authentication ?? null
  }

  get #verdict(): StoredVerdict {
    this.#parsed ??= this.#row.verdict ? StoredVerdict.fromText(this.#row.verdict) : {}
    return this.#parsed
  }
}
