/**
 * Rules that read notices of mail systems: each has a name, the source of its words, and a pattern. spec/bounce-rules.tsv lists them with
 * the number of open samples that each matches. Repetitions in patterns are bounded, so that each takes linear time. Pure.
 */

export interface Rule {
  /** Words in lower case, joined by hyphens; unique. */
  readonly name: string
  /** An RFC and its section, or the servers that document or write these words. */
  readonly source: string
  readonly words: RegExp
}

/** `undefined`: no reason is given. */
export type BounceReason =
  | 'unknownUser'
  | 'unknownHost'
  | 'moved'
  | 'noMail'
  | 'mailboxFull'
  | 'disabled'
  | 'filtered'
  | 'tooLarge'
  | 'expired'
  | 'deferred'
  | 'network'
  | 'system'
  | 'spam'
  | 'virus'
  | 'blocked'
  | 'authentication'
  | 'sender'
  | 'policy'
  | 'undefined'

/** A rule whose words give the reason of a refusal. */
export interface ReasonRule extends Rule {
  readonly reason: BounceReason
}

/** @param words alternatives */
export function reasonRule(
  reason: BounceReason,
  name: string,
  source: string,
  ...words: readonly string[]
): ReasonRule {
  return { reason, name, source, words: new RegExp(words.join('|'), 'i') }
}

export function rule(name: string, source: string, ...words: readonly string[]): Rule {
  return { name, source, words: new RegExp(words.join('|'), 'i') }
}

// Parts of patterns: the words of which servers build their sentences.

/** What a mail address stands for. */
export const MAILBOX =
  '(?:users?|accounts?|mail ?box(?:es)?|recipients?(?:\\(s\\))?|addressees?|address(?:es)?|alias(?:es)?|log ?in|inbox|(?:user|account|login|recipient|mailbox|e-?mail|mail) ?(?:name|id|account|address)|e-?mails?|members?|subscribers?|customers?|clients?|person|people|employees?|local[- ]?part|entry)'
/** "is", "has been", "could not be" and the like, with what may stand between. */
export const IS =
  '(?:(?:is|are|was|were|has|have|had|been|be|does|do|did|could|can|will|seems?|appears?|currently|temporarily|now|to)\\s+){0,4}'
/** A few words of the same sentence. */
export const NEAR = '[^.;]{0,60}?'
