import t from 'tap'
import { eventsOf } from '../../storage/repos/events.ts'
import { mail } from '../jmap/mails.ts'
import { hearEvents } from '../support/hear-events.ts'
import { matchWhole } from '../support/match-whole.ts'
import { faults, startApi } from '../support/rest-api.ts'

const ALL = { type: 'all_messages', value: true }

t.test('a mailbox without rules has an empty set, with the folders of the mailbox', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const box = await mailbox('hello')
  const { status, body } = await ask('GET', `/v1/mailboxes/${box.accountId}/rules`)
  t.equal(status, 200)
  matchWhole(t, body, { object: 'mailbox_rules', mailbox_id: box.accountId, address: box.address, rules: [] })
  t.same(body.folders[0], { id: box.roles['inbox'], name: 'Inbox', parent_id: null, role: 'inbox', kind: 'system' })
})

t.test('a set is replaced as a whole, in the order of position, with defaults and ids filled in', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const box = await mailbox('hello')
  const path = `/v1/mailboxes/${box.accountId}/rules`
  const id = '5F0C1C6E-5D8A-4F0E-9A37-0D5B8F3C2A11'
  const rules = [
    { name: 'Last', position: 7, conditions: [ALL], actions: [{ type: 'star' }] },
    {
      id,
      name: 'First',
      position: 0,
      stop: true,
      match_mode: 'any',
      enabled: false,
      conditions: [ALL],
      actions: [{ type: 'mark_read' }],
    },
  ]
  const put = await ask('PUT', path, { body: { rules } })
  t.equal(put.status, 200)
  t.match(put.body.rules, [
    { id: id.toLowerCase(), name: 'First', position: 0, stop: true, match_mode: 'any', enabled: false },
    { id: /^[0-9a-f-]{36}$/, name: 'Last', position: 1, stop: false, match_mode: 'all', enabled: true },
  ])
  t.same((await ask('GET', path)).body, put.body)
  t.same((await ask('PUT', path, { body: { rules: put.body.rules } })).body, put.body, 'as in the answer')
  t.same((await ask('PUT', path, { body: { rules: [] } })).body.rules, [])
})

t.test('all kinds of actions and conditions are returned as they were sent', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const box = await mailbox('hello')
  const made = await box.call('Mailbox/set', { create: { f: { name: 'Bills' } } })
  const actions = [
    { type: 'move', target: { kind: 'custom', folder_id: made.created.f.id } },
    { type: 'mark_important' },
    { type: 'mark_not_junk' },
    { type: 'send_webhook' },
    { type: 'draft_reply', reply_mode: 'reply_all', text: 'Thanks.', html: '<p>Thanks.</p>', subject: 'Re: you' },
    { type: 'ai_draft_reply', reply_mode: 'reply', instructions: 'Be kind.' },
  ]
  const conditions = [
    { type: 'from_contains', value: 'bob' },
    { type: 'size_greater_than', value: 1_000 },
    { type: 'has_attachment', value: false },
    { type: 'header_contains', value: 'X-Shop: 17' },
  ]
  const { status, body } = await ask('PUT', `/v1/mailboxes/${box.accountId}/rules`, {
    body: {
      rules: [
        { name: 'All', conditions, actions },
        { name: 'Role', conditions: [ALL], actions: [{ type: 'move', target: { kind: 'system', role: 'archive' } }] },
      ],
    },
  })
  t.equal(status, 200)
  t.same(body.rules[0].actions, actions)
  t.same(body.rules[0].conditions, conditions)
  t.same(body.rules[1].actions, [{ type: 'move', target: { kind: 'system', role: 'archive' } }])
})

t.test('errors name the place in the set, and the stored set does not change', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const box = await mailbox('hello')
  const path = `/v1/mailboxes/${box.accountId}/rules`
  const good = { name: 'Rule', conditions: [ALL], actions: [{ type: 'star' }] }
  await ask('PUT', path, { body: { rules: [good] } })
  const of = async (rule: object) => faults(await ask('PUT', path, { body: { rules: [good, { ...good, ...rule }] } }))
  const move = (target: object) => ({ actions: [{ type: 'move', target }] })
  t.same(await of({ conditions: [] }), [['rules[1].conditions', 'too_short']])
  t.same(await of({ actions: [] }), [['rules[1].actions', 'too_short']])
  t.same(await of({ name: '' }), [['rules[1].name', 'too_short']])
  t.same(await of({ match_mode: 'none' }), [['rules[1].match_mode', 'not_allowed']])
  t.same(await of({ actions: [{ type: 'forward' }] }), [['rules[1].actions[0].type', 'not_allowed']])
  t.same(await of({ conditions: [{ type: 'moon_is_full', value: true }] }), [
    ['rules[1].conditions[0].type', 'not_allowed'],
  ])
  t.same(await of({ conditions: [{ type: 'subject_is', value: 7 }] }), [
    ['rules[1].conditions[0].value', 'invalid_type'],
  ])
  t.same(await of({ conditions: [{ type: 'has_attachment', value: 'yes' }] }), [
    ['rules[1].conditions[0].value', 'invalid_type'],
  ])
  t.same(await of({ conditions: [{ type: 'header_contains', value: 'no colon' }] }), [
    ['rules[1].conditions[0].value', 'invalid_format'],
  ])
  t.same(await of(move({ kind: 'custom', folder_id: box.roles['inbox']!.replace('fld', 'msg') })), [
    ['rules[1].actions[0].target.folder_id', 'unknown_reference'],
  ])
  t.same(await of(move({ kind: 'system' })), [['rules[1].actions[0].target.role', 'required']])
  t.same(await of({ actions: [{ type: 'move' }] }), [['rules[1].actions[0].target', 'required']])
  t.same(await of({ actions: [{ type: 'ai_draft_reply', reply_mode: 'reply' }] }), [
    ['rules[1].actions[0].instructions', 'required'],
  ])
  const twice = { type: 'move', target: { kind: 'system', role: 'trash' } }
  t.same(await of({ actions: [twice, twice] }), [['rules[1].actions', 'not_allowed']])
  const id = '5f0c1c6e-5d8a-4f0e-9a37-0d5b8f3c2a11'
  t.same(
    faults(
      await ask('PUT', path, {
        body: {
          rules: [
            { ...good, id },
            { ...good, id },
          ],
        },
      }),
    ),
    [['rules[1].id', 'not_allowed']],
  )
  t.same(faults(await ask('PUT', path, { body: { rules: Array.from({ length: 101 }, () => good) } })), [
    ['rules', 'too_long'],
  ])
  t.equal((await ask('GET', path)).body.rules.length, 1)
})

t.test('a folder of another mailbox is unknown', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const [mine, theirs] = [await mailbox('mine'), await mailbox('theirs')]
  const actions = [{ type: 'move', target: { kind: 'custom', folder_id: theirs.roles['inbox'] } }]
  const rules = [{ name: 'Over', conditions: [ALL], actions }]
  const answer = await ask('PUT', `/v1/mailboxes/${mine.accountId}/rules`, { body: { rules } })
  t.same(faults(answer), [['rules[0].actions[0].target.folder_id', 'unknown_reference']])
})

t.test('a key needs its scope, and a mailbox that it may use', async (t) => {
  const { ask, mailbox, key, stranger } = await startApi(t)
  const box = await mailbox('hello')
  const path = `/v1/mailboxes/${box.accountId}/rules`
  const read = await key(['mailboxes:read'])
  t.equal((await ask('GET', path, { key: read })).status, 200)
  t.equal((await ask('PUT', path, { key: read, body: { rules: [] } })).status, 403)
  t.equal((await ask('POST', `${path}/test`, { key: read, body: { message_id: 'msg_x' } })).status, 403)
  t.equal((await ask('GET', path, { key: (await stranger()).key })).status, 404)
})

t.test('rules are tested on a message without an effect', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const box = await mailbox('hello')
  const message_id = await box.receive(mail({ subject: 'Invoice 7' }))
  const path = `/v1/mailboxes/${box.accountId}/rules/test`
  const id = '5f0c1c6e-5d8a-4f0e-9a37-0d5b8f3c2a11'
  const rules = [
    {
      id,
      name: 'Invoices',
      conditions: [{ type: 'subject_contains', value: 'invoice' }],
      actions: [{ type: 'star' }, { type: 'move', target: { kind: 'system', role: 'archive' } }],
    },
    { name: 'Others', conditions: [{ type: 'subject_contains', value: 'order' }], actions: [{ type: 'mark_read' }] },
  ]
  const tried = await ask('POST', path, { body: { message_id, rules } })
  t.match(tried, {
    status: 200,
    body: {
      object: 'mailbox_rules_test',
      message_id,
      matched_rules: [{ id, name: 'Invoices' }],
      folder_ids: [box.roles['archive']],
      read: false,
      starred: true,
    },
  })
  const [email] = (await box.call('Email/get', { ids: [message_id], properties: ['mailboxIds', 'keywords'] })).list
  t.match(email, { mailboxIds: { [box.roles['inbox']!]: true }, keywords: {} })
  matchWhole(t, (await ask('POST', path, { body: { message_id } })).body, {
    matched_rules: [],
    folder_ids: [box.roles['inbox']],
  })
  t.equal((await ask('POST', path, { body: { message_id: 'msg_unknown' } })).status, 404)
})

t.test('a rule moves and stars an inbound message and writes the event for webhooks', async (t) => {
  const api = await startApi(t)
  const { ask, mailbox, store, organization } = api
  await hearEvents(api)
  const box = await mailbox('hello')
  const rules = [
    {
      name: 'Invoices',
      conditions: [{ type: 'subject_starts_with', value: 'invoice' }],
      actions: [
        { type: 'move', target: { kind: 'system', role: 'archive' } },
        { type: 'star' },
        { type: 'send_webhook' },
      ],
    },
  ]
  const put = await ask('PUT', `/v1/mailboxes/${box.accountId}/rules`, { body: { rules } })
  await box.receive(mail({ subject: 'Invoice 7' }))
  await box.receive(mail({ subject: 'Lunch' }))
  const inbox = async (role: string) =>
    (await ask('GET', `/v1/mailboxes/${box.accountId}/inbox/messages?folder_role=${role}`)).body.data
  t.match(await inbox('archive'), [{ subject: 'Invoice 7', keywords: { $flagged: true } }])
  t.match(await inbox('inbox'), [{ subject: 'Lunch' }])
  const events = await store.read((reader) => eventsOf(reader, organization.account))
  t.match(
    events.filter(({ type }) => type === 'mailbox.rule_matched').map(({ data }) => data),
    [{ rule_id: put.body.rules[0].id, rule_name: 'Invoices', action_index: 2, message: { subject: 'Invoice 7' } }],
  )
})
