/**
 * jmap/mail/spam: one score per message from named, explained symbols. Pure: no storage, no clock, no network; the facts that cost
 * a question are found before (mta/inbound/checks) and handed in. It owns the weights (symbols.ts) and the classifier (bayes.ts);
 * what follows from a score is for delivery to decide.
 */
import type { ParsedMessage } from '../message/structure.ts'
import type { SpamFacts, SpamVerdict } from './facts.ts'
import { judgeAuthentication, judgeDnsLists } from './sender.ts'
import { Tally } from './tally.ts'

/** @param parsed of `facts.bytes` */
export function scoreMessage(_parsed: ParsedMessage, facts: SpamFacts): SpamVerdict {
  if (facts.outside) return facts.outside
  const tally = new Tally()
  if (facts.authentication) judgeAuthentication(facts.authentication, tally)
  judgeDnsLists(facts.dnsLists ?? [], tally)
  return tally.verdict()
}
