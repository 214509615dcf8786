/**
 * The decisions at delivery, in order: the spam verdict (Junk or not), the active Sieve script, inbox rules. Nothing is stored here. When a script
 * or a rule fails, the message is kept. Automatic replies come later (answer.ts), since they depend on the targets.
 */

import type { CompiledRule, RuleEmission } from '../mail/inbox-rules/compile.ts'
import type { MoveTarget, RuleAction } from '../mail/inbox-rules/rule.ts'
import { runScript, runTracked, type SieveEnvironment, type SieveMessage, type SieveScript } from '../sieve/index.ts'
import type { InboundVerdict } from './inbound-verdict.ts'
import { DeliveryPlan, type TargetMailbox } from './plan.ts'
import type { SpamVerdict } from './spam/verdict.ts'

/** The facts that decisions read. */
export interface DeliveryEnvironment {
  readonly message: SieveMessage
  readonly envelope: SieveEnvironment['envelope']
  readonly mailboxes: SieveEnvironment['mailboxes']
  /** Epoch ms. */
  readonly now: number
  readonly verdict: InboundVerdict | null
  readonly spam: SpamVerdict | null
  readonly threshold: number
  /** Whether a model that writes drafts is configured. */
  readonly hasModel: boolean
  /** The number in a Mailbox id; null: it is not of this account. */
  mailboxNumber(id: string): number | null
}

export interface ActiveScript {
  readonly name: string
  readonly script: SieveScript
  /** RFC 7352: the keys that are tracked. */
  lookUp(keys: readonly string[]): Promise<ReadonlySet<string>>
}

export async function decide(
  environment: DeliveryEnvironment,
  active: ActiveScript | null,
  rules: readonly CompiledRule[],
): Promise<DeliveryPlan> {
  const plan = new DeliveryPlan(environment.mailboxes)
  applySpamVerdict(plan, environment)
  const sieve = sieveEnvironmentOf(environment)
  if (active) await runActiveScript(plan, active, sieve)
  if (plan.ending === null) runRules(plan, rules, environment, { ...sieve, isDuplicate: () => false })
  return plan
}

function applySpamVerdict(plan: DeliveryPlan, { spam, threshold, verdict }: DeliveryEnvironment): void {
  const isSpam = spam !== null && spam.score >= threshold
  if (spam !== null)
    plan.log.note(
      'spam',
      `Scored ${spam.score} points; the threshold of the mailbox is ${threshold}: ${isSpam ? 'it is junk' : 'it is no junk'}.`,
    )
  if (verdict?.quarantine !== undefined) plan.log.note('check', `It is junk whatever its score: ${verdict.quarantine}`)
  if (isSpam || verdict?.quarantine !== undefined) plan.moveTo({ role: 'junk' })
}

function sieveEnvironmentOf({ message, envelope, mailboxes, now, spam, threshold }: DeliveryEnvironment) {
  return {
    message,
    envelope,
    mailboxes,
    now,
    spam: spam && { score: spam.score, threshold },
    // Redirected mail would need SRS and ARC, and invites abuse (decision D16).
    settings: { mayRedirect: false },
  }
}

async function runActiveScript(
  plan: DeliveryPlan,
  { name, script, lookUp }: ActiveScript,
  sieve: Omit<SieveEnvironment, 'isDuplicate'>,
): Promise<void> {
  const outcome = await runTracked(script, sieve, lookUp)
  for (const { line, text } of outcome.trace)
    plan.log.note('script', line === null ? text : `Line ${line}: ${text}`, name)
  const targets = plan.targets
  const filed = outcome.actions.flatMap((action) => {
    if (action.kind === 'keep') return targets
    return action.kind === 'fileinto' ? [action.target] : []
  })
  for (const action of outcome.actions) {
    if (action.kind === 'keep' || action.kind === 'fileinto') for (const flag of action.flags) plan.keywords.add(flag)
    else if (action.kind === 'vacation') plan.vacation = action
    else if (action.kind === 'reject') plan.ending = { kind: 'rejected', reason: action.reason }
  }
  for (const { key, seconds } of outcome.track) plan.track.push({ key, until: sieve.now + seconds * 1_000 })
  if (filed.length > 0) {
    plan.targets = filed
    plan.ending = null
  } else plan.ending ??= { kind: 'discarded' }
}

function runRules(
  plan: DeliveryPlan,
  rules: readonly CompiledRule[],
  environment: DeliveryEnvironment,
  sieve: SieveEnvironment,
): void {
  for (const rule of rules) {
    // Decision D11: only rules that take a message out of Junk apply to junk.
    if (plan.isJunk && !rule.rescues) continue
    const { actions, trace, error } = runScript(rule.script, sieve)
    for (const { text } of trace) plan.log.note('rule', text, rule.name)
    const emitted = actions.flatMap((action) =>
      action.kind === 'rule' ? [action.data as unknown as RuleEmission] : [],
    )
    if (error !== null || emitted.length === 0) continue
    plan.matched.push(rule.id)
    for (const { action, index } of emitted) perform(plan, environment, rule, action, index)
    if (!rule.stop) continue
    plan.log.note('rule', 'Rules after it are not looked at.', rule.name)
    return
  }
}

function perform(
  plan: DeliveryPlan,
  environment: DeliveryEnvironment,
  { id, name }: CompiledRule,
  action: RuleAction,
  index: number,
): void {
  const rule = { id, name }
  switch (action.type) {
    case 'move':
      plan.moveTo(targetOf(action.target, environment))
      break
    case 'mark_read':
      plan.keywords.add('$seen')
      break
    case 'mark_important':
      plan.keywords.add('$important')
      break
    case 'star':
      plan.keywords.add('$flagged')
      break
    case 'mark_not_junk':
      if (plan.isJunk) plan.moveTo({ role: 'inbox' })
      plan.keywords.add('$notjunk')
      break
    case 'send_webhook':
      plan.webhooks.push({ rule, actionIndex: index })
      break
    case 'draft_reply':
      plan.drafts.push({ rule, action })
      break
    case 'ai_draft_reply':
      // Decision D11: without a model the log says that the action is skipped.
      if (environment.hasModel) plan.modelDrafts.push({ rule, action })
      else plan.log.note('rule', 'The reply of a model is skipped: none is configured.', name)
      break
  }
}

function targetOf(target: MoveTarget, { mailboxNumber }: DeliveryEnvironment): TargetMailbox {
  if (target.kind === 'system') return { role: target.role }
  return { id: mailboxNumber(target.mailboxId) ?? 0, path: target.mailboxId }
}
