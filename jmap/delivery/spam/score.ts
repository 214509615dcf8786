/**
 * jmap/delivery/spam: one score per message from named, explained symbols. Pure: no storage, no clock, no network. Facts that need
 * queries are found before (mta/inbound/checks) and passed in. This folder owns the weights (symbols.ts) and the classifier (bayes.ts);
 * delivery decides what follows from a score.
 */
import type { ParsedMessage } from '../../message/structure.ts'
import { type Content, contentOf } from './content.ts'
import type { BayesFact, SpamFacts } from './facts.ts'
import { judgeFiles } from './files.ts'
import { judgeHeader } from './header-symbols.ts'
import { judgeLinks } from './link-symbols.ts'
import { judgeMarkup } from './markup.ts'
import { judgeAuthentication, judgeDnsLists } from './sender.ts'
import { SYMBOLS } from './symbols.ts'
import { Tally } from './tally.ts'
import type { SpamVerdict } from './verdict.ts'
import { judgeWording } from './wording.ts'

/** @param parsed of `facts.bytes` @param content of the same message, if already extracted */
export function scoreMessage(parsed: ParsedMessage, facts: SpamFacts, content?: Content): SpamVerdict {
  if (facts.outside) return facts.outside
  const tally = new Tally()
  if (facts.authentication) judgeAuthentication(facts.authentication, tally)
  judgeDnsLists(facts.dnsLists ?? [], tally)
  const looked = content ?? contentOf(parsed, facts.bytes)
  judgeHeader(parsed, looked, facts.receivedAt, tally)
  judgeWording(looked, tally)
  judgeLinks(parsed, looked, tally)
  judgeMarkup(parsed, looked, tally)
  judgeFiles(parsed, looked, tally)
  if (facts.bayes) judgeLearned(facts.bayes, tally)
  return tally.verdict()
}

/** A verdict of `scoreMessage` with the result of a classifier. */
export function withBayes(verdict: SpamVerdict, bayes: BayesFact): SpamVerdict {
  const tally = new Tally(verdict.symbols)
  judgeLearned(bayes, tally)
  return tally.verdict()
}

/** Points grow with the cube of the distance from one half, so that uncertain results count little. */
function judgeLearned({ probability, known, weight }: BayesFact, tally: Tally): void {
  const distance = Math.abs(probability - 0.5) * 2
  const name = probability > 0.5 ? 'BAYES_SPAM' : 'BAYES_HAM'
  const points = SYMBOLS[name].weight * weight * distance ** 3
  if (Math.abs(points) >= 0.1) tally.add(name, `${Math.round(probability * 100)} % by ${known} clues`, points)
}
