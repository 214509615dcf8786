/**
 * Payments for what an organization buys beside its plan, such as a domain: the words between the buyer and billing.
 *
 * - `charge(services, request: ChargeRequest): Promise<ChargeOutcome>` and `refund(services, request: RefundRequest):
 *   Promise<RefundOutcome>` (charges.ts). They ask the provider, so they run outside of units of work. Neither rejects because of the
 *   provider. Workers call them as the services `billing.charge` and `billing.refund` of the core.
 * - `purchaseFault(reader, services, organization): Promise<SetError | null>` (purchase.ts): `subscriptionRequired` or `noPaymentMethod`,
 *   before anything is bought. `refusedPayment(outcome)` there is the SetError of a charge that was refused.
 */

/** One payment. */
export interface ChargeRequest {
  /** Account number. */
  readonly organization: number
  /**
   * Idempotency key, unique within the organization, of 1 to 200 printable ASCII characters: one purchase has one key, whatever happens
   * between. A call with a known key charges nothing more and has the outcome of the first. An attempt with another card needs another key.
   */
  readonly key: string
  /** In major units, as prices of domains are written (decision D7): `11.08`. */
  readonly amount: string
  /** ISO 4217, upper case. */
  readonly currency: string
  /** What is bought: the name of the domain. With `fake` a name that begins with `declined` fails (decision D31). */
  readonly item: string
  /** For the receipt: `example.com, 1 year`. */
  readonly description: string
}

export type ChargeOutcome =
  /** Durable. `isFree`: there is no billing, and nothing was charged (decision D7). */
  | { readonly kind: 'charged'; readonly isFree: boolean }
  /** Nothing was charged, and never will be with this key. `reason` is a sentence for the customer. */
  | { readonly kind: 'refused'; readonly code: 'no_payment_method' | 'payment_failed'; readonly reason: string }
  /** The provider did not answer: it may have charged. Call again with the same request, or refund. `reason` is for the log. */
  | { readonly kind: 'unsure'; readonly reason: string }

export interface RefundRequest extends Pick<ChargeRequest, 'organization' | 'key'> {
  /** The part that is given back, in major units; by default all of it. A charge is given back once. */
  readonly amount?: string
}

export type RefundOutcome =
  /** The charge, or the part that was asked for first, is given back, now or by an earlier call. */
  | { readonly kind: 'refunded' }
  /** Nothing had been charged. A charge with this key is refused from now on. */
  | { readonly kind: 'nothing' }
  /** The provider did not answer: call again. `reason` is for the log. */
  | { readonly kind: 'unsure'; readonly reason: string }
  /** The provider refuses for good: a person has to look. `reason` is for the log. */
  | { readonly kind: 'refused'; readonly reason: string }
