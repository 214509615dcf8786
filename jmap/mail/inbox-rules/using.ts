/** The inbox rules that depend on a mailbox (decision D9). */
import type { AccountUnit } from '../../../storage/ports.ts'
import type { UsingRule } from '../../protocol/errors.ts'
import { inboxRulesOf } from './inbox-rules.handlers.ts'

/**
 * Rules that name a mailbox by id, including disabled ones, by that id. A rule that names a role finds the mailbox that has it at the time.
 */
export async function rulesByMailbox(unit: AccountUnit): Promise<ReadonlyMap<string, readonly UsingRule[]>> {
  const using = new Map<string, UsingRule[]>()
  for (const { id, name, actions } of await inboxRulesOf(unit, unit.account)) {
    const targets = actions.flatMap((action) =>
      action.type === 'move' && action.target.kind === 'custom' ? [action.target.mailboxId] : [],
    )
    for (const mailboxId of new Set(targets)) using.set(mailboxId, [...(using.get(mailboxId) ?? []), { id, name }])
  }
  return using
}
