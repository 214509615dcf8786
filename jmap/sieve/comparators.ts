/** RFC 4790 comparators. Values are converted to a form in which equal values are the same text. */

export interface Comparator {
  /** Capability that a script must require for it (RFC 5228 2.7.3); null: none. */
  readonly requires: string | null
  /** A form in which equal texts are identical. It keeps the length if `substrings` is true. */
  fold(text: string): string
  /** Order of two folded texts: negative, 0, positive. */
  compare(a: string, b: string): number
  /** Whether :contains, :matches and :regex are allowed. */
  readonly substrings: boolean
}

const byUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** RFC 4790 9.2.1: converts only ASCII letters to upper case. */
function asciiUpper(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text.toUpperCase() : text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/** RFC 4790 9.1.1: the leading digits without leading zeros. A text without digits is larger than every number. */
function leadingNumber(text: string): string {
  const digits = /^[0-9]+/.exec(text)
  return digits ? digits[0].replace(/^0+(?=.)/, '') : 'infinity'
}

function compareNumbers(a: string, b: string): number {
  if (a === 'infinity' || b === 'infinity') return Number(a === 'infinity') - Number(b === 'infinity')
  return a.length - b.length || byUnits(a, b)
}

const COMPARATORS: ReadonlyMap<string, Comparator> = new Map([
  ['i;octet', { requires: null, fold: (text: string) => text, compare: byUnits, substrings: true }],
  ['i;ascii-casemap', { requires: null, fold: asciiUpper, compare: byUnits, substrings: true }],
  [
    'i;ascii-numeric',
    { requires: 'comparator-i;ascii-numeric', fold: leadingNumber, compare: compareNumbers, substrings: false },
  ],
])

export function findComparator(name: string): Comparator | null {
  return COMPARATORS.get(name.toLowerCase()) ?? null
}
