import { InboxRulesTest } from '../../jmap/mail/inbox-rules/inbox-rules.type.ts'
import { isObject } from '../../jmap/protocol/json-object.ts'
import { knownId } from '../access/ids.ts'
import { call, get, onlyOne, set, updated } from '../calls/jmap-calls.ts'
import { mailboxFields, type OpenMailbox, ofMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { ApiError, type FieldDetail, invalid, invalidFields, notFound } from '../errors/api-error.ts'
import type { InboxRulesObject, MailboxObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'
import { Rule, readRules, ruleInputs, showRule } from '../shapes/inbox-rule.ts'
import { byPlace, kindOf } from './folders.ts'

const RuleFolder = s.object({
  id: s.id('fld_aaaaaaaaayaaaaaaaaaacwhgpxra'),
  name: s.string({ examples: ['Inbox'] }),
  parent_id: s.nullable(s.string()),
  role: s.nullable(s.string({ examples: ['inbox'] })),
  kind: s.oneOf(['system', 'custom']),
})

const RuleSet = s.resource('MailboxRules', 'mailbox_rules', {
  ...mailboxFields,
  rules: s.array(Rule),
  folders: s.array(RuleFolder),
})

const RulesTest = s.resource('MailboxRulesTest', 'mailbox_rules_test', {
  ...mailboxFields,
  message_id: s.id('msg_aaaaaaaaayaaaaaaaaaacwhgpxra'),
  matched_rules: s.array(s.object({ id: s.string(), name: s.string() }), {
    description: 'Rules whose conditions the message meets, up to one that ends the run.',
  }),
  folder_ids: s.array(s.string(), { description: 'Folders that the message would be in.' }),
  read: s.boolean(),
  starred: s.boolean(),
  important: s.boolean(),
})

const TAG: Tag = {
  name: 'Inbox rules',
  description: 'Actions on incoming mail: move, mark, star, draft a reply, notify webhooks.',
}

/** An inbox rule as a request has it. */
const RULE_EXAMPLE = {
  name: 'Invoices',
  match_mode: 'all',
  conditions: [{ type: 'subject_contains', value: 'invoice' }],
  actions: [{ type: 'move', target: { kind: 'system', role: 'archive' } }, { type: 'star' }, { type: 'send_webhook' }],
}

export const getRules = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/rules',
  operationId: 'getRules',
  tag: TAG,
  summary: "Get a mailbox's inbox rules",
  description: 'In the order in which they run, with the folders that they can move mail to.',
  scope: 'mailboxes:read',
  response: RuleSet,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const { folders, rules } = await jmap.call({
      folders: foldersOf(mailbox),
      rules: get('InboxRules', { accountId: mailbox.id, ids: null }),
    })
    return show(mailbox, onlyOne(rules, 'rule set').rules, folders.list)
  },
})

export const replaceRules = endpoint({
  method: 'PUT',
  path: '/v1/mailboxes/{mailbox_id}/rules',
  operationId: 'replaceRules',
  resource: getRules,
  tag: TAG,
  summary: "Replace a mailbox's inbox rules",
  description:
    'They run on incoming mail, after the spam score and before the auto-reply, in the order of position; on junk only those that mark it as wanted.',
  scope: 'mailboxes:write',
  body: s.object({ rules: ruleInputs }),
  bodyExample: { rules: [RULE_EXAMPLE] },
  response: RuleSet,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  async run(input, jmap) {
    checkedRules(input.body.rules)
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const { folders } = await jmap.call({ folders: foldersOf(mailbox) })
    const rules = checkedRules(input.body.rules, folders.list)
    const { changed } = await jmap.call({
      changed: set('InboxRules', { accountId: mailbox.id, update: { singleton: { rules } } }),
    })
    updated(changed, 'singleton', { details: { rules: 'unknown_reference' } })
    return show(mailbox, rules, folders.list)
  },
})

export const testRules = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/rules/test',
  operationId: 'testRules',
  tag: TAG,
  summary: 'Show what inbox rules would do with a message, without doing it',
  description:
    'Tests `rules` if given, else the rules of the mailbox. Nothing is moved or marked, and no webhook is notified.',
  scope: 'messages:read',
  body: s.object({
    message_id: s.string({ examples: ['msg_aaaaaaaaayaaaaaaaaaacwhgpxra'] }),
    rules: s.optional(ruleInputs),
  }),
  bodyExample: { message_id: 'msg_aaaaaaaaayaaaaaaaaaagbnm5hta', rules: [RULE_EXAMPLE] },
  response: RulesTest,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    if (input.body.rules) checkedRules(input.body.rules)
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const accountId = mailbox.id
    const emailId = knownId(input.body.message_id, 'message')
    const { folders, kept, found } = await jmap.call({
      folders: foldersOf(mailbox),
      kept: get('InboxRules', { accountId, ids: null }),
      found: get('Email', { accountId, ids: [emailId], properties: ['id'] }),
    })
    onlyOne(found, 'message')
    const given = input.body.rules
    const rules = given ? checkedRules(given, folders.list) : onlyOne(kept, 'rule set').rules
    const test = call(InboxRulesTest, { accountId, emailId, rules })
    const { tested } = await jmap.call({ tested: test }).catch(goneMeanwhile)
    return {
      object: 'mailbox_rules_test' as const,
      ...ofMailbox(mailbox),
      message_id: emailId,
      matched_rules: tested.matched
        .flatMap((id) => rules.find((rule) => rule.id === id) ?? [])
        .map(({ id, name }) => ({ id, name })),
      folder_ids: Object.keys(tested.mailboxIds),
      read: '$seen' in tested.keywords,
      starred: '$flagged' in tested.keywords,
      important: '$important' in tested.keywords,
    }
  },
})

/** Objects of the rules or the message may be deleted after the look-up. @throws ApiError */
function goneMeanwhile(error: unknown): never {
  const cause = error instanceof ApiError && isObject(error.cause) ? error.cause : {}
  const named = cause['type'] === 'invalidArguments' ? [cause['arguments']].flat() : []
  if (named.includes('emailId')) throw notFound('message')
  if (named.includes('rules')) throw invalid('rules', 'unknown_reference', 'A folder that the rules name is gone.')
  throw error
}

type Folder = Pick<MailboxObject, 'id' | 'name' | 'parentId' | 'role' | 'sortOrder'>

function foldersOf({ id: accountId }: OpenMailbox) {
  const properties = ['id', 'name', 'parentId', 'role', 'sortOrder'] as const
  return get('Mailbox', { accountId, ids: null, properties })
}

/** @param folders of the mailbox; without them only what the request itself shows is checked. @throws ApiError 422 */
function checkedRules(inputs: s.Infer<typeof ruleInputs>, folders?: readonly Folder[]): InboxRulesObject['rules'] {
  const details: FieldDetail[] = []
  const known = folders ? new Set(folders.map((folder) => folder.id)) : { has: () => true }
  const rules = readRules(inputs, known, details)
  if (details.length > 0) throw invalidFields(details)
  return rules
}

function show(
  mailbox: OpenMailbox,
  rules: InboxRulesObject['rules'],
  folders: readonly Folder[],
): s.Infer<typeof RuleSet> {
  return {
    object: 'mailbox_rules',
    ...ofMailbox(mailbox),
    rules: rules.map(showRule),
    folders: [...folders].sort(byPlace).map((folder) => toSnake(RuleFolder, folder, { kind: kindOf(folder) })),
  }
}

export const ruleEndpoints = [getRules, replaceRules, testRules]
