/** The parts of a text that a search matches: the same words and phrases that the index finds. */
import type { Span } from './spans.ts'
import { type Phrase, UNSPACED } from './tokens.ts'

/** A part of a text, in UTF-16 units, and the number of the phrase that matches it. */
export interface Match {
  readonly start: number
  readonly end: number
  readonly phrase: number
}

/** In the order of their starts. Matches of different phrases may overlap. */
export function findMatches(spans: readonly Span[], phrases: readonly Phrase[]): Match[] {
  const byFirst = new Map<string, number[]>()
  const prefixes: number[] = []
  for (const [number, { tokens, prefix }] of phrases.entries()) {
    if (prefix && tokens.length === 1) prefixes.push(number)
    else byFirst.set(tokens[0]!, [...(byFirst.get(tokens[0]!) ?? []), number])
  }
  const matches: Match[] = []
  for (const [at, { token, start }] of spans.entries()) {
    for (const number of [...(byFirst.get(token) ?? []), ...prefixes]) {
      const end = endOfMatch(spans, at, phrases[number]!)
      if (end !== null) matches.push({ start, end, phrase: number })
    }
  }
  return matches
}

function endOfMatch(spans: readonly Span[], at: number, { tokens, prefix }: Phrase): number | null {
  const last = tokens.length - 1
  for (const [i, token] of tokens.entries()) {
    const found = spans[at + i]?.token
    if (found === undefined) return null
    if (i === last && prefix ? !found.startsWith(token) : found !== token) return null
  }
  const span = spans[at + last]!
  // A search for a single character matches the first character of a pair. The next pair starts after it.
  const isHalfPair = prefix && span.token !== tokens[last] && UNSPACED.test(tokens[last]!)
  return isHalfPair ? (spans[at + last + 1]?.start ?? span.end) : span.end
}
