/**
 * The classifier. It knows how often each token was seen in spam and in wanted mail, and computes the probability of a message. The
 * probability of a rare token is drawn towards one half; the most significant tokens are combined by Fisher's method (G. Robinson, "A
 * statistical approach to the spam problem", Linux Journal, March 2003).
 */
import {
  BAYES_CLUES_MAX,
  BAYES_LEARNED_MIN,
  BAYES_LEARNED_WELL,
  BAYES_TOKENS_NEEDED,
} from '../../../server/base/spam-limits.ts'
import type { BayesFact } from './facts.ts'
import type { TokenCounts, TokenTable } from './token-table.ts'

/** Number of learned messages. */
export type Totals = TokenCounts

/** Assumed probability of an unknown token, and the number of sightings that the assumption weighs. */
const ASSUMED = 0.5
const STRENGTH = 0.3
/** Tokens nearer to one half than this are ignored. */
const DISTANCE_MIN = 0.1

export function isTaught({ spam, ham }: Totals): boolean {
  return spam >= BAYES_LEARNED_MIN && ham >= BAYES_LEARNED_MIN
}

/** null: too few messages were learned, or too few tokens of this message are known. */
export function classify(tokens: readonly number[], totals: Totals, table: TokenTable): BayesFact | null {
  if (!isTaught(totals)) return null
  const clues = new Float64Array(tokens.length)
  let known = 0
  for (const token of tokens) {
    const slot = table.slotOf(token)
    if (slot < 0) continue
    const probability = probabilityOf(table.spamAt(slot), table.hamAt(slot), totals)
    if (Math.abs(probability - 0.5) >= DISTANCE_MIN) clues[known++] = probability
  }
  if (known < BAYES_TOKENS_NEEDED) return null
  return { probability: combine(mostTelling(clues.subarray(0, known))), known, weight: weightOf(totals) }
}

/** The tokens farthest from one half: with the clues in order, those at the two ends. */
function mostTelling(clues: Float64Array): Float64Array {
  if (clues.length <= BAYES_CLUES_MAX) return clues
  clues.sort()
  let low = 0
  let high = clues.length - 1
  const best = new Float64Array(BAYES_CLUES_MAX)
  for (let i = 0; i < best.length; i++)
    best[i] = 0.5 - clues[low]! > clues[high]! - 0.5 ? clues[low++]! : clues[high--]!
  return best
}

/** Weight of the result, from slightly over one half up to 1: it grows with the number of learned messages. */
function weightOf({ spam, ham }: Totals): number {
  return Math.min(1, 0.6 + (0.4 * Math.min(spam, ham)) / BAYES_LEARNED_WELL)
}

function probabilityOf(spam: number, ham: number, totals: Totals): number {
  const seen = spam + ham
  if (seen === 0) return ASSUMED
  const inSpam = spam / totals.spam
  return (STRENGTH * ASSUMED + (seen * inSpam) / (inSpam + ham / totals.ham)) / (STRENGTH + seen)
}

function combine(probabilities: Float64Array): number {
  let spamLog = 0
  let hamLog = 0
  for (const probability of probabilities) {
    spamLog += Math.log(1 - probability)
    hamLog += Math.log(probability)
  }
  const spam = 1 - chiSquareTail(-2 * spamLog, probabilities.length)
  const ham = 1 - chiSquareTail(-2 * hamLog, probabilities.length)
  return (1 + spam - ham) / 2
}

/** The probability that a chi-square of 2n degrees of freedom is at least this large. */
function chiSquareTail(value: number, n: number): number {
  const half = value / 2
  let term = Math.exp(-half)
  let sum = term
  for (let i = 1; i < n; i++) {
    term *= half / i
    sum += term
  }
  return Math.min(sum, 1)
}
