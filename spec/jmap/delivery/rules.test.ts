import t from 'tap'
import type { InboxRule, RuleAction, RuleCondition } from '../../../jmap/mail/inbox-rules/rule.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { mail } from '../mails.ts'
import { deliver, eventsIn, placeOf, rule, setRules } from './support.ts'

const ALL: RuleCondition = { type: 'all_messages', value: true }
const STAR: RuleAction = { type: 'star' }

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  await hearEvents(core)
  const { clock } = core
  const junk = { verdict: { quarantine: 'the policy of the domain' } }
  const moveTo = (role: 'inbox' | 'archive' | 'junk' | 'trash'): RuleAction => ({
    type: 'move',
    target: { kind: 'system', role },
  })
  const withRules = async (name: string, rules: readonly InboxRule[]) => {
    const box = await core.mailbox(name)
    const set = await setRules(box, rules)
    if (!set.updated) throw new Error(JSON.stringify(set))
    return box
  }

  t.test(
    'an account without written rules has an empty list; written rules are returned with a new state',
    async (t) => {
      const box = await core.mailbox('kept')
      const before = await box.call('InboxRules/get', { ids: null })
      t.same(before.list, [{ id: 'singleton', rules: [] }])
      const rules = [rule([ALL], [STAR]), rule([ALL], [{ type: 'mark_read' }])]
      await setRules(box, rules)
      const after = await box.call('InboxRules/get', { ids: null })
      t.same(after.list[0].rules, rules)
      t.not(after.state, before.state)
    },
  )

  t.test('a rule moves, stars and marks matching messages only', async (t) => {
    const box = await withRules('acts', [
      rule(
        [{ type: 'from_contains', value: 'BOB' }],
        [moveTo('archive'), STAR, { type: 'mark_read' }, { type: 'mark_important' }],
        { name: 'Of Bob' },
      ),
    ])
    const [of, other] = [
      await deliver(core, [box], mail({ from: 'Bob <bob@example.org>' })),
      await deliver(core, [box], mail({ from: 'Eve <eve@example.org>' })),
    ].map(([{ emailId }]) => emailId)
    const place = await placeOf(box, of)
    t.same(place.roles, ['archive'])
    t.same(place.keywords, { $flagged: true, $seen: true, $important: true })
    t.match(place.deliveryTrace[0], { by: 'rule', name: 'Of Bob', text: 'The message meets its conditions.' })
    t.same((await placeOf(box, other)).roles, ['inbox'])
    t.same((await placeOf(box, other)).keywords, {})
  })

  t.test(
    'a webhook action writes mailbox.rule_matched with the index of the action, beside message.received',
    async (t) => {
      const box = await withRules('hooks', [
        rule([ALL], [STAR, { type: 'send_webhook' }], { name: 'Tell', id: '11111111-1111-4111-8111-111111111111' }),
      ])
      const [{ emailId, threadId }] = await deliver(
        core,
        [box],
        mail({ subject: 'Hooked', to: 'Hooks <hooks@example.test>' }),
      )
      const events = (await eventsIn(core)).filter(({ account }) => account === box.account)
      t.same(
        events.map(({ type }) => type),
        ['message.received', 'mailbox.rule_matched'],
      )
      t.same(events[0]!.data, {
        message_id: emailId,
        mailbox_id: box.accountId,
        from: 'bob@example.org',
        to: ['hooks@example.test'],
        subject: 'Hooked',
      })
      t.match(events[1]!.data, {
        mailbox_id: box.accountId,
        mailbox_address: box.address,
        rule_id: '11111111-1111-4111-8111-111111111111',
        rule_name: 'Tell',
        action_index: 1,
        matched_at: new Date(clock.now()).toISOString(),
        message: {
          id: emailId,
          thread_id: threadId,
          subject: 'Hooked',
          from: [{ name: 'Bob', email: 'bob@example.org' }],
          to: [{ name: 'Hooks', email: 'hooks@example.test' }],
          received_at: '2026-01-01T00:00:00.000Z',
          has_attachment: false,
        },
      })
    },
  )

  t.test('rules run in order, the last move counts, and stop ends the run', async (t) => {
    const moves = await withRules('moves', [rule([ALL], [moveTo('archive')]), rule([ALL], [moveTo('trash')])])
    const [one] = await deliver(core, [moves], mail())
    t.same((await placeOf(moves, one.emailId)).roles, ['trash'])
    const stops = await withRules('stops', [
      rule([ALL], [moveTo('archive')], { stop: true }),
      rule([ALL], [moveTo('trash')]),
    ])
    const [two] = await deliver(core, [stops], mail())
    t.same((await placeOf(stops, two.emailId)).roles, ['archive'])
  })

  t.test('a disabled rule does nothing', async (t) => {
    const box = await withRules('off', [rule([ALL], [moveTo('trash')], { isEnabled: false })])
    const [{ emailId }] = await deliver(core, [box], mail())
    t.same((await placeOf(box, emailId)).roles, ['inbox'])
  })

  t.test('only a rule that marks as wanted applies to junk, and then the rules after it', async (t) => {
    const box = await withRules('rescue', [
      rule([ALL], [{ type: 'mark_important' }]),
      rule([{ type: 'from_is', value: 'friend@example.org' }], [{ type: 'mark_not_junk' }]),
      rule([ALL], [STAR]),
    ])
    const [stays] = await deliver(core, [box], mail({ from: 'x@example.org' }), junk)
    const [saved] = await deliver(core, [box], mail({ from: 'Friend <FRIEND@example.org>' }), junk)
    t.match(await placeOf(box, stays.emailId), { roles: ['junk'], keywords: { $junk: true } })
    t.notOk((await placeOf(box, stays.emailId)).keywords.$important)
    const place = await placeOf(box, saved.emailId)
    t.same(place.roles, ['inbox'])
    t.same(place.keywords, { $notjunk: true, $flagged: true })
  })

  t.test('a message that a rule moves to Junk gets $junk', async (t) => {
    const box = await withRules('tojunk', [rule([ALL], [moveTo('junk')])])
    const [{ emailId }] = await deliver(core, [box], mail())
    t.match(await placeOf(box, emailId), { roles: ['junk'], keywords: { $junk: true } })
  })

  t.test('a rule moves a message to a folder by id', async (t) => {
    const box = await core.mailbox('folders')
    const made = await box.call('Mailbox/set', { create: { f: { name: 'Bills' } } })
    const mailboxId = made.created.f.id as string
    await setRules(box, [rule([ALL], [{ type: 'move', target: { kind: 'custom', mailboxId } }])])
    const [{ emailId }] = await deliver(core, [box], mail())
    t.same((await placeOf(box, emailId)).mailboxIds, { [mailboxId]: true })
  })

  t.test('a draft reply is stored in Drafts, with the author as recipient, and is not sent', async (t) => {
    const draft: RuleAction = {
      type: 'draft_reply',
      replyMode: 'reply_all',
      text: 'Thanks.',
      html: null,
      subject: null,
    }
    const box = await withRules('drafts', [rule([ALL], [draft])])
    const text = mail({
      to: `${box.address}, Ann <ann@example.org>`,
      subject: 'Offer',
      id: 'offer@example.org',
      headers: ['Cc: ben@example.org', 'Reply-To: sales@example.org'],
    })
    const [{ emailId, threadId }] = await deliver(core, [box], text)
    const { ids } = await box.call('Email/query', { filter: { inMailbox: box.roles['drafts']! } })
    const properties = ['subject', 'from', 'to', 'cc', 'keywords', 'threadId', 'inReplyTo', 'preview', 'source']
    const [written] = (await box.call('Email/get', { ids, properties })).list
    t.match(written, {
      subject: 'Re: Offer',
      from: [{ email: box.address }],
      to: [{ email: 'sales@example.org' }],
      cc: [{ email: 'ann@example.org' }, { email: 'ben@example.org' }],
      keywords: { $draft: true, $seen: true },
      threadId,
      inReplyTo: ['offer@example.org'],
      preview: 'Thanks.',
      source: 'rule',
    })
    t.same((await placeOf(box, emailId)).roles, ['inbox'])
    t.equal(await core.core.nextSubmissionAt(), null)
  })

  t.test('without a model a draft by model is logged as skipped, and the other actions run', async (t) => {
    const ask: RuleAction = { type: 'ai_draft_reply', replyMode: 'reply', instructions: 'Be kind.' }
    const box = await withRules('model', [rule([ALL], [ask, STAR])])
    const [{ emailId }] = await deliver(core, [box], mail())
    const place = await placeOf(box, emailId)
    t.same(place.keywords, { $flagged: true })
    t.ok(place.words.includes('rule: The reply of a model is skipped: none is configured.'))
    t.same((await box.call('Email/query', { filter: { inMailbox: box.roles['drafts']! } })).ids, [])
  })

  t.test('rules apply to received mail, not to written or imported mail', async (t) => {
    const box = await withRules('imports', [rule([ALL], [moveTo('trash')])])
    const { id } = (
      await box.call('Email/set', { create: { e: { mailboxIds: { [box.roles['inbox']!]: true }, subject: 'Own' } } })
    ).created.e
    t.same((await placeOf(box, id)).roles, ['inbox'])
  })

  t.test(
    '100 rules that all search the body of a large message take little time, and the last one counts',
    async (t) => {
      const many = Array.from({ length: 99 }, (_, i) =>
        rule([{ type: 'body_contains', value: `word ${i} not there` }], [STAR]),
      )
      const box = await withRules('hundred', [
        ...many,
        rule([{ type: 'body_contains', value: 'THE END' }], [moveTo('archive')]),
      ])
      const [{ emailId }] = await deliver(core, [box], mail({ body: `${'lorem ipsum dolor\n'.repeat(20_000)}the end` }))
      t.match(await placeOf(box, emailId), { roles: ['archive'], keywords: {} })
    },
  )
})
