/** Inbox rules of the API (decision D11), from and to the form of the core. */
import { randomUUID } from 'node:crypto'
import {
  CONDITION_VALUES,
  type InboxRule,
  MOVE_ROLES,
  REPLY_MODES,
  type RuleAction,
} from '../../jmap/mail/inbox-rules/rule.ts'
import {
  RULE_ACTIONS_MAX,
  RULE_CONDITIONS_MAX,
  RULE_DRAFT_MAX_CHARS,
  RULE_INSTRUCTIONS_MAX_CHARS,
  RULE_NAME_MAX_CHARS,
  RULE_VALUE_MAX_CHARS,
  RULES_MAX,
} from '../../server/base/delivery-limits.ts'
import { MESSAGE_SUBJECT_MAX_CHARS } from '../../server/base/limits.ts'
import type { DetailCode, FieldDetail } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'

const ACTIONS = [
  'move',
  'mark_read',
  'mark_important',
  'mark_not_junk',
  'star',
  'draft_reply',
  'ai_draft_reply',
  'send_webhook',
] as const satisfies readonly RuleAction['type'][]
const CONDITIONS = [...CONDITION_VALUES.keys()] as InboxRule['conditions'][number]['type'][]
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const uuid = s.string({ pattern: UUID, examples: ['5f0c1c6e-5d8a-4f0e-9a37-0d5b8f3c2a11'] })
const VALUES =
  'A text; `true` or `false` for has_attachment and is_auto_generated, `true` for all_messages, octets for size_*; for header_contains `Name: text`.'

const condition = s.object({
  type: s.oneOf(CONDITIONS),
  value: s.union(
    [
      s.string({ minLength: 1, maxLength: RULE_VALUE_MAX_CHARS, examples: ['invoice'] }),
      s.integer({ minimum: 0 }),
      s.boolean(),
    ],
    VALUES,
  ),
})
const action = s.object({
  type: s.oneOf(ACTIONS),
  target: s.optional(
    s.object({
      kind: s.oneOf(['custom', 'system'], 'For custom folders folder_id, for system folders role names the folder.'),
      folder_id: s.optional(s.string()),
      role: s.optional(s.oneOf(MOVE_ROLES)),
    }),
  ),
  reply_mode: s.optional(s.oneOf(REPLY_MODES)),
  instructions: s.optional(s.string({ minLength: 1, maxLength: RULE_INSTRUCTIONS_MAX_CHARS })),
  text: s.optional(s.string({ minLength: 1, maxLength: RULE_DRAFT_MAX_CHARS })),
  html: s.optional(s.nullable(s.string({ maxLength: RULE_DRAFT_MAX_CHARS }))),
  subject: s.optional(s.nullable(s.string({ maxLength: MESSAGE_SUBJECT_MAX_CHARS, pattern: '^[^\\r\\n\\u0000]*$' }))),
})

export const RuleInput = s.named(
  'InboxRuleInput',
  s.object({
    id: s.optional(uuid),
    name: s.string({ minLength: 1, maxLength: RULE_NAME_MAX_CHARS, examples: ['Invoices'] }),
    enabled: s.withDefault(s.boolean(), true),
    position: s.optional(
      s.integer({ minimum: 0, description: 'Position of the rule; default: its index in the array.' }),
    ),
    match_mode: s.withDefault(s.oneOf(['all', 'any']), 'all'),
    stop: s.withDefault(s.boolean('If it matches, later rules do not run.'), false),
    conditions: s.array(condition, { minItems: 1, maxItems: RULE_CONDITIONS_MAX }),
    actions: s.array(action, { minItems: 1, maxItems: RULE_ACTIONS_MAX, description: 'At most one `move`.' }),
  }),
)

export const ruleInputs = s.array(RuleInput, { maxItems: RULES_MAX })

export const Rule = s.named(
  'InboxRule',
  s.object({
    id: uuid,
    name: s.string({ examples: ['Invoices'] }),
    enabled: s.boolean(),
    position: s.integer({ minimum: 0 }),
    match_mode: s.oneOf(['all', 'any']),
    stop: s.boolean(),
    conditions: s.array(condition),
    actions: s.array(action),
  }),
)

type Input = s.Infer<typeof RuleInput>

/** Ids of the folders of the mailbox. */
type Folders = Pick<ReadonlySet<string>, 'has'>

/** The rules in the order in which they run. @param details takes one item for each fault that the schema does not find */
export function readRules(inputs: readonly Input[], folders: Folders, details: FieldDetail[]): InboxRule[] {
  const seen = new Set<string>()
  const rules = inputs.map((input, index) => {
    const at = `rules[${index}]`
    const id = input.id?.toLowerCase() ?? randomUUID()
    if (seen.has(id)) details.push({ field: `${at}.id`, code: 'not_allowed', message: 'Another rule has this id.' })
    seen.add(id)
    const rule = {
      id,
      name: input.name,
      isEnabled: input.enabled,
      matchMode: input.match_mode,
      stop: input.stop,
      // checkCondition() reports a value that does not fit its type.
      conditions: input.conditions as InboxRule['conditions'],
      actions: input.actions.map((one, i) => readAction(one, `${at}.actions[${i}]`, folders, details)),
    }
    for (const [i, one] of input.conditions.entries()) checkCondition(one, `${at}.conditions[${i}].value`, details)
    if (rule.actions.filter(({ type }) => type === 'move').length > 1)
      details.push({ field: `${at}.actions`, code: 'not_allowed', message: 'A rule has at most one move.' })
    return { rule, place: input.position ?? index, index }
  })
  return rules.sort((a, b) => a.place - b.place || a.index - b.index).map(({ rule }) => rule)
}

function checkCondition({ type, value }: s.Infer<typeof condition>, field: string, details: FieldDetail[]): void {
  const add = (code: DetailCode, message: string) => void details.push({ field, code, message })
  switch (CONDITION_VALUES.get(type)) {
    case 'text':
      if (typeof value !== 'string') add('invalid_type', `The value of ${type} is a text.`)
      else if (type === 'header_contains' && !/^[!-9;-~]+:/.test(value))
        add('invalid_format', 'The value of header_contains is "Name: text".')
      break
    case 'octets':
      if (typeof value !== 'number') add('invalid_type', `The value of ${type} is a number of octets.`)
      break
    case 'true':
      if (value !== true) add('not_allowed', `The value of ${type} is true.`)
      break
    default:
      if (typeof value !== 'boolean') add('invalid_type', `The value of ${type} is true or false.`)
  }
}

function readAction(input: s.Infer<typeof action>, at: string, folders: Folders, details: FieldDetail[]): RuleAction {
  const require = <T>(name: string, value: T | undefined, fallback: T): T => {
    if (value === undefined) details.push({ field: `${at}.${name}`, code: 'required', message: `${name} is required.` })
    return value ?? fallback
  }
  const { type } = input
  switch (type) {
    case 'move': {
      const { kind, folder_id, role } = require('target', input.target, { kind: 'system', role: 'inbox' })
      if (kind === 'system') return { type, target: { kind, role: require('target.role', role, 'inbox') } }
      const mailboxId = require('target.folder_id', folder_id, '')
      if (folder_id !== undefined && !folders.has(folder_id))
        details.push({
          field: `${at}.target.folder_id`,
          code: 'unknown_reference',
          message: 'There is no such folder in this mailbox.',
        })
      return { type, target: { kind, mailboxId } }
    }
    case 'draft_reply': {
      const replyMode = require('reply_mode', input.reply_mode, 'reply')
      const text = require('text', input.text, '')
      return { type, replyMode, text, html: input.html || null, subject: input.subject?.trim() || null }
    }
    case 'ai_draft_reply': {
      const replyMode = require('reply_mode', input.reply_mode, 'reply')
      return { type, replyMode, instructions: require('instructions', input.instructions, '') }
    }
    default:
      return { type }
  }
}

export function showRule(rule: InboxRule, position: number): s.Infer<typeof Rule> {
  return {
    id: rule.id,
    name: rule.name,
    enabled: rule.isEnabled,
    position,
    match_mode: rule.matchMode,
    stop: rule.stop,
    conditions: rule.conditions.map(({ type, value }) => ({ type, value })),
    actions: rule.actions.map(showAction),
  }
}

function showAction(action: RuleAction): s.Infer<typeof Rule>['actions'][number] {
  switch (action.type) {
    case 'move': {
      const { target } = action
      const shown =
        target.kind === 'custom'
          ? { kind: target.kind, folder_id: target.mailboxId }
          : { kind: target.kind, role: target.role }
      return { type: action.type, target: shown }
    }
    case 'draft_reply': {
      const { type, replyMode, text, html, subject } = action
      return { type, reply_mode: replyMode, text, html, subject }
    }
    case 'ai_draft_reply':
      return { type: action.type, reply_mode: action.replyMode, instructions: action.instructions }
    default:
      return { type: action.type }
  }
}
