/** Compiles inbox rules for the Sieve engine. Each rule is a separate script, so that a failing rule does not stop the others. */
import type { JsonObject } from '../../../server/base/json.ts'
import { emit, type SieveScript, scriptOf, when } from '../../sieve/index.ts'
import { testOf } from './conditions.ts'
import type { InboxRule, RuleAction } from './rule.ts'

/** Data of an `emit` in its script: the action and its index in the rule. */
export interface RuleEmission {
  readonly action: RuleAction
  readonly index: number
}

export interface CompiledRule {
  readonly id: string
  readonly name: string
  readonly stop: boolean
  /** The rule also applies to junk, and takes the message out of it. */
  readonly rescues: boolean
  readonly script: SieveScript
}

/** The enabled rules, in order. */
export function compileRules(rules: readonly InboxRule[]): CompiledRule[] {
  return rules
    .filter(({ isEnabled }) => isEnabled)
    .map((rule) => ({
      id: rule.id,
      name: rule.name,
      stop: rule.stop,
      rescues: rule.actions.some(({ type }) => type === 'mark_not_junk'),
      script: scriptOf([
        when(
          testOf(rule),
          'The message meets its conditions.',
          rule.actions.map((action, index) =>
            emit({ action, index } satisfies RuleEmission as unknown as JsonObject, WORDS[action.type]),
          ),
        ),
      ]),
    }))
}

const WORDS: { readonly [type in RuleAction['type']]: string } = {
  move: 'It is moved.',
  mark_read: 'It is marked as read.',
  mark_important: 'It is marked as important.',
  mark_not_junk: 'It is marked as wanted, and taken out of Junk.',
  star: 'It gets a star.',
  draft_reply: 'A reply is put into Drafts.',
  ai_draft_reply: 'A reply is asked for from the model.',
  send_webhook: 'The event mailbox.rule_matched is written.',
}
