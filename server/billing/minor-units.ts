/** Amounts as Stripe takes them: whole numbers of the smallest unit of the currency. */

// docs.stripe.com/currencies: most currencies have two decimals, also those that ISO 4217 gives none, as far as Stripe says so.
const NO_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const THREE_DECIMALS = new Set('BHD JOD KWD OMR TND'.split(' '))

/** @param amount in major units, such as `11.08` @param currency ISO 4217, upper case. null: the currency has no such amount */
export function minorUnits(amount: string, currency: string): number | null {
  const decimals = NO_DECIMALS.has(currency) ? 0 : THREE_DECIMALS.has(currency) ? 3 : 2
  const [whole = '', fraction = ''] = amount.split('.')
  if (/[1-9]/.test(fraction.slice(decimals))) return null
  return Number(`${whole}${fraction.slice(0, decimals).padEnd(decimals, '0')}`)
}
