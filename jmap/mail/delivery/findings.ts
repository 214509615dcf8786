/** What was found and done about an email at delivery, as its vendor properties tell it. */
import { findEmailDelivery } from '../../../storage/repos/email-deliveries.ts'
import type { Json, JsonObject } from '../../core.ts'
import type { ReadContext } from '../../type/rules.ts'

const FINDINGS = ['deliveryTrace', 'spamVerdict', 'authentication'] as const
export type Finding = (typeof FINDINGS)[number]

export function isFinding(property: string): property is Finding {
  return (FINDINGS as readonly string[]).includes(property)
}

/** An email that was not judged, or did not come from outside, has no verdict and no trace. */
export async function findingsOf({ method, reader }: ReadContext, email: number): Promise<Record<Finding, Json>> {
  const row = await findEmailDelivery(reader, method.account.number, email)
  const verdict = row?.verdict ? (JSON.parse(row.verdict) as JsonObject) : {}
  return {
    deliveryTrace: row ? (JSON.parse(row.trace) as Json) : [],
    spamVerdict: verdict['spam'] ?? null,
    authentication: verdict['authentication'] ?? null,
  }
}
