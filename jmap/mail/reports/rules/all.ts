/** All rules that read bounces. A part of them can be left out, to measure what the others find alone. */
import { REASON_RULES } from './reasons.ts'
import { HEADINGS, NOT_RECIPIENT, RECIPIENT_LINES } from './recipients.ts'
import type { ReasonRule, Rule } from './rule.ts'
import { DAEMONS, DELAYS, FAILURES, GIVEN_UP, RARE_WORDS, SUBJECTS } from './signs.ts'

export interface BounceRules {
  readonly daemons: readonly Rule[]
  readonly subjects: readonly Rule[]
  readonly rareWords: readonly Rule[]
  readonly failures: readonly Rule[]
  readonly delays: readonly Rule[]
  readonly givenUp: readonly Rule[]
  readonly headings: readonly Rule[]
  readonly notRecipient: readonly Rule[]
  readonly recipientLines: readonly (readonly Rule[])[]
  /** In their order. */
  readonly reasons: readonly ReasonRule[]
}

export const BOUNCE_RULES: BounceRules = {
  daemons: DAEMONS,
  subjects: SUBJECTS,
  rareWords: RARE_WORDS,
  failures: FAILURES,
  delays: DELAYS,
  givenUp: GIVEN_UP,
  headings: HEADINGS,
  notRecipient: NOT_RECIPIENT,
  recipientLines: RECIPIENT_LINES,
  reasons: REASON_RULES,
}

export function someMatch(rules: readonly Rule[], text: string): boolean {
  return rules.some(({ words }) => words.test(text))
}
