/** Checks that JSON is a list of inbox rules (decision D11), and names the member at fault. */

import {
  RULE_ACTIONS_MAX,
  RULE_CONDITIONS_MAX,
  RULE_DRAFT_MAX_CHARS,
  RULE_INSTRUCTIONS_MAX_CHARS,
  RULE_NAME_MAX_CHARS,
  RULE_VALUE_MAX_CHARS,
  RULES_MAX,
} from '../../../server/base/delivery-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isOneOf } from '../../../server/base/known-names.ts'
import { MESSAGE_SUBJECT_MAX_CHARS } from '../../../server/base/limits.ts'
import { isObject } from '../../protocol/json-object.ts'
import { isUnsignedInt } from '../../protocol/primitives.ts'
import { CONDITION_VALUES, type InboxRule, MOVE_ROLES, PLAIN_ACTIONS, REPLY_MODES } from './rule.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The rules, or the fault in words after the path of the member. Mailboxes are checked elsewhere. */
export function checkRules(
  given: readonly JsonObject[],
): { readonly rules: readonly InboxRule[] } | { readonly fault: string } {
  if (given.length > RULES_MAX) return { fault: `There are at most ${RULES_MAX} rules.` }
  const ids = new Set<Json | undefined>()
  for (const [index, rule] of given.entries()) {
    const fault = ruleFault(rule)
    if (fault) return { fault: `rules/${index}/${fault}` }
    if (ids.has(rule['id'])) return { fault: `rules/${index}/id is that of another rule.` }
    ids.add(rule['id'])
  }
  // Every member has been checked.
  return { rules: given as readonly unknown[] as readonly InboxRule[] }
}

function ruleFault(rule: JsonObject): string | null {
  const unknown = unknownMember(rule, ['id', 'name', 'isEnabled', 'matchMode', 'stop', 'conditions', 'actions'])
  if (unknown) return unknown
  const { id, name, isEnabled, matchMode, stop, conditions, actions } = rule
  if (typeof id !== 'string' || !UUID.test(id)) return 'id is a UUID in lower case.'
  if (!isText(name, RULE_NAME_MAX_CHARS)) return `name has 1 to ${RULE_NAME_MAX_CHARS} characters.`
  if (typeof isEnabled !== 'boolean') return 'isEnabled is true or false.'
  if (matchMode !== 'all' && matchMode !== 'any') return 'matchMode is all or any.'
  if (typeof stop !== 'boolean') return 'stop is true or false.'
  return (
    listFault('conditions', conditions, RULE_CONDITIONS_MAX, conditionFault) ??
    listFault('actions', actions, RULE_ACTIONS_MAX, actionFault) ??
    movesFault(actions)
  )
}

function listFault(
  name: string,
  list: Json | undefined,
  max: number,
  faultOf: (item: JsonObject) => string | null,
): string | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > max) return `${name} are 1 to ${max}.`
  for (const [index, item] of list.entries()) {
    if (!isObject(item)) return `${name}/${index} is an object.`
    const fault = faultOf(item)
    if (fault) return `${name}/${index}/${fault}`
  }
  return null
}

function conditionFault(condition: JsonObject): string | null {
  const unknown = unknownMember(condition, ['type', 'value'])
  if (unknown) return unknown
  const { type, value } = condition
  switch (typeof type === 'string' ? CONDITION_VALUES.get(type) : undefined) {
    case 'text':
      if (!isText(value, RULE_VALUE_MAX_CHARS)) return `value is a text of 1 to ${RULE_VALUE_MAX_CHARS} characters.`
      return type === 'header_contains' && !/^[!-9;-~]+:/.test(value)
        ? 'value is the name of a field, a colon and a text.'
        : null
    case 'octets':
      return isUnsignedInt(value) ? null : 'value is a number of octets.'
    case 'flag':
      return typeof value === 'boolean' ? null : 'value is true or false.'
    case 'true':
      return value === true ? null : 'value is true.'
    default:
      return 'type is not known.'
  }
}

function actionFault(action: JsonObject): string | null {
  const { type, target, instructions } = action
  if (isOneOf(PLAIN_ACTIONS, type)) return unknownMember(action, ['type'])
  switch (type) {
    case 'move':
      return unknownMember(action, ['type', 'target']) ?? targetFault(target)
    case 'draft_reply':
      return (
        unknownMember(action, ['type', 'replyMode', 'text', 'html', 'subject']) ??
        modeFault(action) ??
        draftFault(action)
      )
    case 'ai_draft_reply':
      if (!isText(instructions, RULE_INSTRUCTIONS_MAX_CHARS))
        return `instructions have 1 to ${RULE_INSTRUCTIONS_MAX_CHARS} characters.`
      return unknownMember(action, ['type', 'replyMode', 'instructions']) ?? modeFault(action)
    default:
      return 'type is not known.'
  }
}

function targetFault(target: Json | undefined): string | null {
  if (!isObject(target)) return 'target is an object.'
  const { kind, role, mailboxId } = target
  if (kind === 'system' && isOneOf(MOVE_ROLES, role)) return unknownMember(target, ['kind', 'role'])
  if (kind === 'custom' && typeof mailboxId === 'string') return unknownMember(target, ['kind', 'mailboxId'])
  return `target names a mailbox: custom with a mailboxId, or system with a role among ${MOVE_ROLES.join(', ')}.`
}

function modeFault({ replyMode }: JsonObject): string | null {
  return isOneOf(REPLY_MODES, replyMode) ? null : 'replyMode is reply or reply_all.'
}

function draftFault({ text, html, subject }: JsonObject): string | null {
  if (!isText(text, RULE_DRAFT_MAX_CHARS)) return `text has 1 to ${RULE_DRAFT_MAX_CHARS} characters.`
  if (html !== null && !isText(html, RULE_DRAFT_MAX_CHARS)) return 'html is a text or null.'
  // A line break would end the field.
  if (subject !== null && (!isText(subject, MESSAGE_SUBJECT_MAX_CHARS) || /[\r\n\0]/.test(subject)))
    return 'subject is one line or null.'
  return null
}

function movesFault(actions: Json | undefined): string | null {
  const isMove = (action: Json) => isObject(action) && action['type'] === 'move'
  return Array.isArray(actions) && actions.filter(isMove).length > 1 ? 'actions have one move at most.' : null
}

function unknownMember(object: JsonObject, known: readonly string[]): string | null {
  const name = Object.keys(object).find((member) => !known.includes(member))
  return name === undefined ? null : `${name.slice(0, 100)} is no member.`
}

function isText(value: Json | undefined, max: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= max
}
