/** Handlers of InboxRules: a singleton, so that all rules change at once. */
import type { Reader } from '../../../storage/ports.ts'
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import { SINGLETON, SINGLETON_ID } from '../../type/define-type.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { findSingleton, saveSingleton } from '../../type/object-store.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import { checkRules } from './check.ts'
import { InboxRules } from './inbox-rules.type.ts'
import type { InboxRule } from './rule.ts'

export const inboxRulesHandlers: Handlers<typeof InboxRules> = {
  all: async () => [SINGLETON],

  async load({ method, reader }, { numbers, properties }) {
    const rules = await inboxRulesOf(reader, method.account.number)
    return new Map(numbers.map((number) => [number, pick({ id: SINGLETON_ID, rules }, properties)]))
  },

  async update({ method, unit }, _number, { next: { rules }, changed }) {
    if (changed.length === 0) return { updated: null }
    const checked = checkRules(rules)
    if ('fault' in checked) return { error: invalidProperties(['rules'], checked.fault) }
    const fault = await folderFault(method, unit, checked.rules)
    if (fault) return { error: invalidProperties(['rules'], fault) }
    await saveSingleton(unit, InboxRules, checked, changed)
    return { updated: null }
  },

  // RFC 8620 5.3
  destroy: async () => setError('singleton'),
}

/** In order. */
export async function inboxRulesOf(reader: Reader, account: number): Promise<readonly InboxRule[]> {
  return (await findSingleton(reader, account, InboxRules))?.rules ?? []
}

/** The first move to a mailbox that does not exist, in words. */
export async function folderFault(
  method: MethodContext,
  reader: Reader,
  rules: readonly InboxRule[],
): Promise<string | null> {
  const there = new Set((await listMailboxes(reader, method.account.number)).map(({ id }) => id))
  for (const [index, { actions }] of rules.entries())
    for (const [at, action] of actions.entries()) {
      if (action.type !== 'move' || action.target.kind !== 'custom') continue
      if (!there.has(method.number(Mailbox, action.target.mailboxId) ?? 0))
        return `rules/${index}/actions/${at}/target/mailboxId: There is no such mailbox.`
    }
  return null
}
