import { get, onlyOne, set, testRules as testCall, updated } from '../calls/jmap-calls.ts'
import type { InboxRulesObject, MailboxObject } from '../calls/jmap-types.ts'
import { type OpenMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { type FieldDetail, invalidFields } from '../errors/api-error.ts'
import {
  array,
  boolean,
  constant,
  type Infer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  string,
} from '../schema/schema.ts'
import { id, knownId } from '../shapes/common.ts'
import { Rule, readRules, ruleInputs, showRule } from '../shapes/inbox-rule.ts'

const RuleSet = named(
  'MailboxRules',
  object({
    object: constant('mailbox_rules'),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    address: string({ examples: ['support@example.com'] }),
    rules: array(Rule),
    folders: array(
      object({
        id: id('fld_aaaaaaaaayaaaaaaaaaacwhgpxra'),
        name: string({ examples: ['Inbox'] }),
        parent_id: nullable(string()),
        role: nullable(string({ examples: ['inbox'] })),
        kind: oneOf(['system', 'custom']),
      }),
    ),
  }),
)

const RulesTest = named(
  'MailboxRulesTest',
  object({
    object: constant('mailbox_rules_test'),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    address: string({ examples: ['support@example.com'] }),
    message_id: id('msg_aaaaaaaaayaaaaaaaaaacwhgpxra'),
    matched_rules: array(object({ id: string(), name: string() }), {
      description: 'Those whose conditions the message meets, as far as they would be looked at.',
    }),
    folder_ids: array(string(), { description: 'Where the message would go.' }),
    read: boolean(),
    starred: boolean(),
    important: boolean(),
  }),
)

export const getRules = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/rules',
  operationId: 'getRules',
  tag: 'Inbox rules',
  summary: "Get a mailbox's inbox rules",
  scope: 'mailboxes:read',
  tier: 'read',
  status: 200,
  response: RuleSet,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const { folders, rules } = await jmap.call({
      folders: foldersOf(mailbox),
      rules: get('InboxRules', { accountId: mailbox.id, ids: null }),
    })
    return show(mailbox, rules.list[0]!.rules, folders.list)
  },
})

export const replaceRules = endpoint({
  method: 'PUT',
  path: '/v1/mailboxes/{mailbox_id}/rules',
  operationId: 'replaceRules',
  tag: 'Inbox rules',
  summary: "Replace a mailbox's inbox rules",
  description:
    'They run on mail that comes in, after the spam score and before the auto-reply, in the order of position; on junk only those that mark it as wanted.',
  scope: 'mailboxes:write',
  tier: 'write',
  body: object({ rules: ruleInputs }),
  status: 200,
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
    updated(changed, 'singleton')
    return show(mailbox, rules, folders.list)
  },
})

export const testRules = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/rules/test',
  operationId: 'testRules',
  tag: 'Inbox rules',
  summary: 'Say what inbox rules would do with a message, without doing it',
  scope: 'messages:read',
  tier: 'write',
  body: object({
    message_id: string({ examples: ['msg_aaaaaaaaayaaaaaaaaaacwhgpxra'] }),
    rules: optional(ruleInputs),
  }),
  status: 200,
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
    const rules = given ? checkedRules(given, folders.list) : kept.list[0]!.rules
    const { tested } = await jmap.call({ tested: testCall({ accountId, emailId, rules }) })
    const names = new Map(rules.map((rule) => [rule.id, rule.name]))
    return {
      object: 'mailbox_rules_test' as const,
      mailbox_id: mailbox.id,
      address: mailbox.address,
      message_id: emailId,
      matched_rules: tested.matched.map((rule) => ({ id: rule, name: names.get(rule)! })),
      folder_ids: Object.keys(tested.mailboxIds),
      read: '$seen' in tested.keywords,
      starred: '$flagged' in tested.keywords,
      important: '$important' in tested.keywords,
    }
  },
})

type Folder = Pick<MailboxObject, 'id' | 'name' | 'parentId' | 'role' | 'sortOrder'>

function foldersOf({ id: accountId }: OpenMailbox) {
  const properties = ['id', 'name', 'parentId', 'role', 'sortOrder'] as const
  return get('Mailbox', { accountId, ids: null, properties })
}

/** @param folders of the mailbox; without them, all that can be said of the request alone is judged. @throws Problem 422 */
function checkedRules(inputs: Infer<typeof ruleInputs>, folders?: readonly Folder[]): InboxRulesObject['rules'] {
  const details: FieldDetail[] = []
  const known = folders ? new Set(folders.map((folder) => folder.id)) : { has: () => true }
  const rules = readRules(inputs, known, details)
  if (details.length > 0) throw invalidFields(details)
  return rules
}

function show(
  { id: mailboxId, address }: OpenMailbox,
  rules: InboxRulesObject['rules'],
  folders: readonly Folder[],
): Infer<typeof RuleSet> {
  const inOrder = [...folders].sort((a, b) => a.sortOrder - b.sortOrder || a.name.localeCompare(b.name, 'en'))
  return {
    object: 'mailbox_rules',
    mailbox_id: mailboxId,
    address,
    rules: rules.map(showRule),
    folders: inOrder.map((folder) => ({
      id: folder.id,
      name: folder.name,
      parent_id: folder.parentId,
      role: folder.role,
      kind: folder.role === null ? 'custom' : 'system',
    })),
  }
}
