/**
 * Regular expressions of draft-ietf-sieve-regex: POSIX extended, searched anywhere in the text, the longest match first. RE2 runs them
 * in time linear in the text; there are no back-references.
 */
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { onDemand } from '../../server/base/on-demand.ts'
import { SIEVE_REGEX_MAX_CHARS, SIEVE_REGEX_MAX_INSTRUCTIONS } from '../../server/base/sieve-limits.ts'

/** Few scripts have regular expressions, and its tables take 4 MB. */
const re2js = onDemand(() => createRequire(import.meta.url)('re2js') as typeof import('re2js'))

/** The result of a match: the whole match and its groups; a group without a match is empty. */
export interface Regex {
  /** Number of compiled instructions. */
  readonly size: number
  /** Steps for a match in a text of this many characters. */
  cost(length: number): number
  find(text: string): readonly string[] | null
}

/** @returns why the expression cannot be used, in words */
export function compileRegex(pattern: string, ignoreCase: boolean): Regex | string {
  if (pattern.length > SIEVE_REGEX_MAX_CHARS)
    return `a regular expression cannot be longer than ${SIEVE_REGEX_MAX_CHARS} characters`
  let compiled: RE2JS
  try {
    const { RE2JS } = re2js()
    compiled = RE2JS.compile(pattern, RE2JS.DOTALL | RE2JS.LONGEST_MATCH | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
  } catch {
    return `${JSON.stringify(pattern.slice(0, 100))} is no regular expression that is understood here`
  }
  const size = compiled.programSize()
  if (size > SIEVE_REGEX_MAX_INSTRUCTIONS) return 'this regular expression is too large'
  return { size, cost: (length) => 8 + (length * size) / STEP, find: (text) => find(compiled, text) }
}

/** Characters times instructions that count as one step. */
const STEP = 4

function find(compiled: RE2JS, text: string): readonly string[] | null {
  try {
    const matcher = compiled.matcher(text)
    if (!matcher.find()) return null
    return Array.from({ length: compiled.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '')
  } finally {
    // RE2's cache of states grows to megabytes, and a script may have thousands of expressions.
    compiled.reset()
  }
}
