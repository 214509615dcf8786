/** The inbox rules that depend on a mailbox (decision D9). */
import type { AccountUnit } from '../../../storage/ports.ts'
import type { UsingRule } from '../../protocol/errors.ts'
import { inboxRulesOf } from './inbox-rules.handlers.ts'
import type { RuleAction } from './rule.ts'

/** Rules that name the mailbox by id, including disabled ones. A rule that names a role finds the mailbox that has it at the time. */
export async function rulesMovingTo(unit: AccountUnit, mailboxId: string): Promise<UsingRule[]> {
  const rules = await inboxRulesOf(unit, unit.account)
  return rules
    .filter(({ actions }) => actions.some((action) => movesTo(action, mailboxId)))
    .map(({ id, name }) => ({ id, name }))
}

function movesTo(action: RuleAction, mailboxId: string): boolean {
  return action.type === 'move' && action.target.kind === 'custom' && action.target.mailboxId === mailboxId
}
