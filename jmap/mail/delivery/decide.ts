/**
 * The order of decisions at delivery: spam verdict (Junk or not), the active Sieve script, inbox rules. Nothing is written here, and
 * whatever a script or a rule does wrong, the message is kept. Auto-replies follow (answer.ts), as they depend on where it went.
 */
import { runScript, runTracked, type SieveEnvironment, type SieveMessage, type SieveScript } from '../../sieve/index.ts'
import type { InboundVerdict } from '../inbound-verdict.ts'
import type { CompiledRule, RuleEmission } from '../rules/compile.ts'
import type { MoveTarget, RuleAction } from '../rules/rule.ts'
import type { SpamVerdict } from '../spam/facts.ts'
import { type Place, Plan } from './plan.ts'

export interface Delivered {
  readonly message: SieveMessage
  readonly envelope: SieveEnvironment['envelope']
  readonly mailboxes: SieveEnvironment['mailboxes']
  /** Epoch ms. */
  readonly now: number
  readonly verdict: InboundVerdict | null
  readonly spam: SpamVerdict | null
  readonly threshold: number
  /** A model is configured that writes drafts. */
  readonly hasModel: boolean
  /** The number in a Mailbox id; null: none of this account. */
  mailboxNumber(id: string): number | null
}

export interface ActiveScript {
  readonly name: string
  readonly script: SieveScript
  /** RFC 7352: which keys are tracked. */
  lookUp(keys: readonly string[]): Promise<ReadonlySet<string>>
}

export async function decide(
  delivered: Delivered,
  active: ActiveScript | null,
  rules: readonly CompiledRule[],
): Promise<Plan> {
  const plan = new Plan(delivered.mailboxes)
  judgeSpam(plan, delivered)
  const environment = environmentOf(delivered)
  if (active) await obeyScript(plan, active, environment)
  if (plan.ending === null) obeyRules(plan, rules, delivered, { ...environment, isDuplicate: () => false })
  return plan
}

function judgeSpam(plan: Plan, { spam, threshold, verdict }: Delivered): void {
  const isSpam = spam !== null && spam.score >= threshold
  if (spam !== null)
    plan.trace.note(
      'spam',
      `Scored ${spam.score} points; the threshold of the mailbox is ${threshold}: ${isSpam ? 'it is junk' : 'it is no junk'}.`,
    )
  if (verdict?.quarantine !== undefined)
    plan.trace.note('check', `It is junk whatever its score: ${verdict.quarantine}`)
  if (isSpam || verdict?.quarantine !== undefined) plan.moveTo({ role: 'junk' })
}

function environmentOf({ message, envelope, mailboxes, now, spam, threshold }: Delivered) {
  return {
    message,
    envelope,
    mailboxes,
    now,
    spam: spam && { score: spam.score, threshold },
    // Mail that leaves in the name of others needs SRS and ARC, and invites abuse (decision D16).
    settings: { mayRedirect: false },
  }
}

async function obeyScript(
  plan: Plan,
  { name, script, lookUp }: ActiveScript,
  environment: Omit<SieveEnvironment, 'isDuplicate'>,
): Promise<void> {
  const outcome = await runTracked(script, environment, lookUp)
  for (const { line, text } of outcome.trace)
    plan.trace.note('script', line === null ? text : `Line ${line}: ${text}`, name)
  const usual = plan.places
  const filed = outcome.actions.flatMap((action) => {
    if (action.kind === 'keep') return usual
    return action.kind === 'fileinto' ? [action.target] : []
  })
  for (const action of outcome.actions) {
    if (action.kind === 'keep' || action.kind === 'fileinto') for (const flag of action.flags) plan.keywords.add(flag)
    else if (action.kind === 'vacation') plan.vacation = action
    else if (action.kind === 'reject') plan.ending = { kind: 'rejected', reason: action.reason }
  }
  for (const { key, seconds } of outcome.track) plan.track.push({ key, until: environment.now + seconds * 1_000 })
  if (filed.length > 0) {
    plan.places = filed
    plan.ending = null
  } else plan.ending ??= { kind: 'discarded' }
}

function obeyRules(
  plan: Plan,
  rules: readonly CompiledRule[],
  delivered: Delivered,
  environment: SieveEnvironment,
): void {
  for (const rule of rules) {
    // Decision D11: what is junk concerns no rule but those that take it out.
    if (plan.isJunk && !rule.rescues) continue
    const { actions, trace, error } = runScript(rule.script, environment)
    for (const { text } of trace) plan.trace.note('rule', text, rule.name)
    const emitted = actions.flatMap((action) =>
      action.kind === 'rule' ? [action.data as unknown as RuleEmission] : [],
    )
    if (error !== null || emitted.length === 0) continue
    plan.matched.push(rule.id)
    for (const { action, index } of emitted) perform(plan, delivered, rule, action, index)
    if (!rule.stop) continue
    plan.trace.note('rule', 'Rules after it are not looked at.', rule.name)
    return
  }
}

function perform(
  plan: Plan,
  delivered: Delivered,
  { id, name }: CompiledRule,
  action: RuleAction,
  index: number,
): void {
  const rule = { id, name }
  switch (action.type) {
    case 'move':
      plan.moveTo(placeOf(action.target, delivered))
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
      // Decision D11: without a model it is recorded as skipped.
      if (delivered.hasModel) plan.modelDrafts.push({ rule, action })
      else plan.trace.note('rule', 'The reply of a model is skipped: none is configured.', name)
      break
  }
}

function placeOf(target: MoveTarget, { mailboxNumber }: Delivered): Place {
  if (target.kind === 'system') return { role: target.role }
  return { id: mailboxNumber(target.mailboxId) ?? 0, path: target.mailboxId }
}
