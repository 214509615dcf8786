/** The names that a search asks the registrar about (decision D7): the name itself if it is one, then the word under other endings. Pure. */
import { domainToASCII } from 'node:url'
import { SEARCH_RESULTS_MAX } from '../../../server/base/registration-limits.ts'
import { normaliseDomain } from '../../message/mail-address.ts'
import { registrableOf } from '../domain/names.ts'

/** null: nothing that can be registered follows from the keyword. */
export function suggestNames(keyword: string, endings: readonly string[]): string[] | null {
  const words = keyword.trim().toLowerCase()
  const whole = words.includes('.') ? registrable(words) : null
  const label = labelOf(whole?.split('.')[0] ?? words.split('.')[0]!)
  if (whole === null && (label === null || words.includes('.'))) return null
  const suggested = label === null ? [] : endings.map((ending) => registrable(`${label}.${ending}`))
  const names = [whole, ...suggested].filter((name) => name !== null)
  return [...new Set(names)].slice(0, SEARCH_RESULTS_MAX)
}

/** The name in A-labels; null: it is not a name directly below a public suffix. */
export function registrable(written: string): string | null {
  const name = normaliseDomain(written)
  return name?.includes('.') && registrableOf(name) === name ? name : null
}

/** RFC 5890 2.3.1: letters, digits and hyphens within; spaces between words are left out. */
function labelOf(words: string): string | null {
  const label = domainToASCII(words.replaceAll(/[\s'’]+/g, ''))
  return /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label) ? label : null
}
