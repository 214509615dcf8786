/** A stored inbox rule (decision D11): conditions on a message, and actions for messages that meet them. */

const TEXT_CONDITIONS = [
  'from_contains',
  'from_not_contains',
  'from_is',
  'from_domain_is',
  'to_contains',
  'cc_contains',
  'recipient_contains',
  'subject_contains',
  'subject_not_contains',
  'subject_is',
  'subject_starts_with',
  'body_contains',
  'header_contains',
  'list_id_contains',
  'attachment_name_contains',
] as const
const SIZE_CONDITIONS = ['size_greater_than', 'size_less_than'] as const
const FLAG_CONDITIONS = ['has_attachment', 'is_auto_generated'] as const

export type TextConditionType = (typeof TEXT_CONDITIONS)[number]

export type RuleCondition =
  | { readonly type: TextConditionType; readonly value: string }
  /** Octets. */
  | { readonly type: (typeof SIZE_CONDITIONS)[number]; readonly value: number }
  | { readonly type: (typeof FLAG_CONDITIONS)[number]; readonly value: boolean }
  | { readonly type: 'all_messages'; readonly value: true }

/** Kind of value of each condition type. */
export const CONDITION_VALUES: ReadonlyMap<string, 'text' | 'octets' | 'flag' | 'true'> = new Map([
  ...TEXT_CONDITIONS.map((type) => [type, 'text'] as const),
  ...SIZE_CONDITIONS.map((type) => [type, 'octets'] as const),
  ...FLAG_CONDITIONS.map((type) => [type, 'flag'] as const),
  ['all_messages', 'true'] as const,
])

export const MOVE_ROLES = ['inbox', 'archive', 'junk', 'trash'] as const
export const REPLY_MODES = ['reply', 'reply_all'] as const
export type ReplyMode = (typeof REPLY_MODES)[number]

export type MoveTarget =
  | { readonly kind: 'custom'; readonly mailboxId: string }
  | { readonly kind: 'system'; readonly role: (typeof MOVE_ROLES)[number] }

export interface DraftReply {
  readonly type: 'draft_reply'
  readonly replyMode: ReplyMode
  readonly text: string
  readonly html: string | null
  /** null: derived from the message's subject, as for an answer. */
  readonly subject: string | null
}

export interface ModelReply {
  readonly type: 'ai_draft_reply'
  readonly replyMode: ReplyMode
  readonly instructions: string
}

export type RuleAction =
  | { readonly type: 'move'; readonly target: MoveTarget }
  | { readonly type: 'mark_read' | 'mark_important' | 'mark_not_junk' | 'star' | 'send_webhook' }
  | DraftReply
  | ModelReply

export const PLAIN_ACTIONS = ['mark_read', 'mark_important', 'mark_not_junk', 'star', 'send_webhook'] as const

export interface InboxRule {
  /** UUID. */
  readonly id: string
  readonly name: string
  readonly isEnabled: boolean
  readonly matchMode: 'all' | 'any'
  /** If the rule matches, later rules are not evaluated. */
  readonly stop: boolean
  readonly conditions: readonly RuleCondition[]
  readonly actions: readonly RuleAction[]
}
