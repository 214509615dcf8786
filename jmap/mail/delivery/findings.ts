/** What was found and done about an email at delivery, as its vendor properties tell it. */
import { findEmailDeliveries } from '../../../storage/repos/email-deliveries.ts'
import type { EmailDeliveryTable } from '../../../storage/schema/tables.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { ReadContext } from '../../type/handlers.ts'
import type { Email } from '../email/email.type.ts'

const FINDINGS = ['deliveryTrace', 'spamVerdict', 'authentication'] as const
export type Finding = (typeof FINDINGS)[number]

export function isFinding(property: string): property is Finding {
  return (FINDINGS as readonly string[]).includes(property)
}

export type Findings = Pick<ObjectOf<typeof Email>, Finding>

/** As the row keeps them. */
interface StoredVerdict {
  readonly spam?: Findings['spamVerdict']
  readonly authentication?: Findings['authentication']
}

const NONE: Findings = { deliveryTrace: [], spamVerdict: null, authentication: null }

/** By email; one that was not judged, or did not come from outside, has no verdict and no trace. */
export async function findingsOf({ method, reader }: ReadContext, emails: readonly number[]) {
  const rows = await findEmailDeliveries(reader, method.account.number, emails)
  const found = new Map(rows.map((row) => [row.email, toFindings(row)]))
  return (email: number): Findings => found.get(email) ?? NONE
}

function toFindings(row: EmailDeliveryTable): Findings {
  let parsed: StoredVerdict | undefined
  const verdict = () => {
    parsed ??= row.verdict ? (JSON.parse(row.verdict) as StoredVerdict) : {}
    return parsed
  }
  return {
    get deliveryTrace() {
      return JSON.parse(row.trace) as Findings['deliveryTrace']
    },
    get spamVerdict() {
      return verdict().spam ?? null
    },
    get authentication() {
      return verdict().authentication ?? null
    },
  }
}
