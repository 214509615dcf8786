/** Rules of InboxRules: a singleton, so that the whole set changes at once. */
import type { Reader } from '../../../storage/ports.ts'
import { findInboxRules, keepInboxRules } from '../../../storage/repos/inbox-rules.ts'
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import type { MethodContext } from '../../context.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { SINGLETON } from '../../type/define-type.ts'
import { pick } from '../../type/methods/get.ts'
import type { Rules } from '../../type/rules.ts'
import { rulesFault } from './check.ts'
import { InboxRules } from './inbox-rules.type.ts'
import type { InboxRule } from './rule.ts'

export const inboxRulesRules: Rules = {
  all: async () => [SINGLETON],

  async load({ method, reader }, { numbers, properties }) {
    const rules = (await findInboxRules(reader, method.account.number)) as Json
    return new Map(numbers.map((number) => [number, pick({ id: 'singleton', rules }, properties)]))
  },

  async update(write, number, { next, changed }) {
    if (changed.length === 0) return { updated: null }
    const rules = next['rules'] as readonly JsonObject[]
    const fault =
      rulesFault(rules) ?? (await folderFault(write.method, write.unit, rules as unknown as readonly InboxRule[]))
    if (fault) return { error: invalidProperties(['rules'], fault) }
    await keepInboxRules(write.unit, rules)
    write.unit.change(InboxRules.name, number, 'u', changed)
    return { updated: null }
  },

  // RFC 8620 5.3: it can neither be made nor go.
  destroy: async () => setError('singleton'),
}

/** The first move to a mailbox that is not there, in words. */
export async function folderFault(
  method: MethodContext,
  reader: Reader,
  rules: readonly InboxRule[],
): Promise<string | null> {
  const there = new Set((await listMailboxes(reader, method.account.number)).map(({ id }) => id))
  for (const [index, { actions }] of rules.entries())
    for (const [at, action] of actions.entries()) {
      if (action.type !== 'move' || action.target.kind !== 'custom') continue
      if (!there.has(method.number('Mailbox', action.target.mailboxId) ?? 0))
        return `rules/${index}/actions/${at}/target/mailboxId: There is no such mailbox.`
    }
  return null
}
