/** What an error of Stripe's library means for the request that failed. */
import { errorMessage } from '../base/errors.ts'

/** Members of the library's errors that count here. */
interface StripeFault {
  readonly type?: string
  readonly code?: string
  readonly decline_code?: string
  readonly statusCode?: number
  readonly message?: string
}

/** The card was refused: nothing is charged. `reason` is a sentence for the customer. null: it is another error. */
export function declinedBy(error: unknown): string | null {
  const { type, code, message } = error as StripeFault
  if (type !== 'StripeCardError') return null
  if (code === 'authentication_required') return 'The payment needs a confirmation by the holder of the card.'
  return message ?? 'The card was declined.'
}

/** Asking again gives the same answer. Not so after wrong keys, which an operator mends. */
export function isFinal(error: unknown): boolean {
  const { type, statusCode } = error as StripeFault
  return type === 'StripeInvalidRequestError' && statusCode !== 429 && statusCode !== 409
}

/** For the log: Stripe's words have no secrets, except for keys, which they shorten. */
export function reasonOf(error: unknown): string {
  const { type, code, statusCode } = error as StripeFault
  const what = [type, code, statusCode].filter((part) => part !== undefined).join(' ')
  return what === '' ? errorMessage(error) : `${what}: ${errorMessage(error)}`
}

export function hasCode(error: unknown, code: string): boolean {
  return (error as StripeFault).code === code
}
