/** Which inbox rules depend on a mailbox (decision D9). */
import type { AccountUnit } from '../../../storage/ports.ts'
import type { UsingRule } from '../../protocol/errors.ts'
import { inboxRulesOf } from './inbox-rules.handlers.ts'
import type { RuleAction } from './rule.ts'

/** Those that name the mailbox itself, also the ones that are switched off; a role finds whatever mailbox has it then. */
export async function rulesMovingTo(unit: AccountUnit, mailboxId: string): Promise<UsingRule[]> {
  const rules = await inboxRulesOf(unit, unit.account)
  return rules
    .filter(({ actions }) => actions.some((action) => movesTo(action, mailboxId)))
    .map(({ id, name }) => ({ id, name }))
}

function movesTo(action: RuleAction, mailboxId: string): boolean {
  return action.type === 'move' && action.target.kind === 'custom' && action.target.mailboxId === mailboxId
}
