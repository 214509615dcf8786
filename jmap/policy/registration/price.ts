/** Sums of prices, exact: in major units as decimal texts (decision D7). Pure. */

/** `11.08` and up. @throws RangeError for anything else */
function centsOf(price: string): bigint {
  const match = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(price)
  if (!match) throw new RangeError('not a price')
  return BigInt(match[1]!) * 100n + BigInt((match[2] ?? '').padEnd(2, '0'))
}

function textOf(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

/** The first year at the price of the registration, the others at that of a renewal. */
export function priceOf(purchase: string, renewal: string, years: number): string {
  return textOf(centsOf(purchase) + centsOf(renewal) * BigInt(years - 1))
}

/** In cents: names that cost nothing, or more than this for a year, are faults or need a person. */
const PRICE_MAX_CENTS = 1_000_000n

/** null: the text is not a price of a domain. With two digits after the point. */
export function normalPrice(written: unknown): string | null {
  const text = typeof written === 'number' && Number.isFinite(written) ? written.toFixed(2) : written
  if (typeof text !== 'string') return null
  try {
    const cents = centsOf(text.replaceAll(',', ''))
    return cents > 0n && cents <= PRICE_MAX_CENTS ? textOf(cents) : null
  } catch {
    return null
  }
}
