import t from 'tap'
import { mail } from '../jmap/mails.ts'
import { faults, startApi } from '../support/rest-api.ts'

t.test('an auto-reply is set, answers, and keeps its text when it is switched off', async (t) => {
  const { ask, mailbox, core } = await startApi(t)
  const box = await mailbox('hello')
  const path = `/v1/mailboxes/${box.accountId}/auto-reply`
  const on = await ask('PATCH', path, {
    body: { enabled: true, body: 'Back in May.', from_date: '2026-01-01T01:00:00+01:00', to_date: null },
  })
  const shown = {
    enabled: true,
    subject: null,
    body: 'Back in May.',
    from_date: '2026-01-01T00:00:00.000Z',
    to_date: null,
  }
  t.equal(on.status, 200)
  t.same(on.body.auto_reply, shown)
  await box.receive(mail({ to: box.address }))
  t.equal((await core.claimSubmissions('test', 10, 1e9)).length, 1)
  const off = await ask('PATCH', path, { body: { enabled: false } })
  t.same(off.body.auto_reply, { ...shown, enabled: false })
  t.match((await box.call('VacationResponse/get', { ids: null })).list, [
    { isEnabled: false, textBody: 'Back in May.' },
  ])
})

t.test('an auto-reply without a text, or with an end before its start, is refused', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const box = await mailbox('hello')
  const of = async (body: object) => faults(await ask('PATCH', `/v1/mailboxes/${box.accountId}/auto-reply`, { body }))
  t.same(await of({ enabled: true }), [['body', 'required']])
  t.same(await of({ enabled: true, body: ' ' }), [['body', 'required']])
  t.same(await of({ enabled: true, body: 'x'.repeat(5_001) }), [['body', 'too_long']])
  t.same(await of({ body: 'x' }), [['enabled', 'required']])
  t.same(await of({ enabled: false, subject: 'a\nb' }), [['subject', 'invalid_format']])
  const dates = { from_date: '2026-05-02T00:00:00Z', to_date: '2026-05-01T00:00:00Z' }
  t.same(await of({ enabled: true, body: 'x', ...dates }), [['to_date', 'out_of_range']])
})

t.test('the spam threshold is set, within its bounds', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const box = await mailbox('hello')
  const path = `/v1/mailboxes/${box.accountId}/spam-filter`
  t.match(await ask('PATCH', path, { body: { threshold: 3 } }), { status: 200, body: { spam_filter_threshold: 3 } })
  for (const threshold of [0, 15, 2.5, '3', null])
    t.equal((await ask('PATCH', path, { body: { threshold } })).status, 422, String(threshold))
  t.same(faults(await ask('PATCH', path, { body: {} })), [['threshold', 'required']])
})

t.test('a key needs the scope mailboxes:write', async (t) => {
  const { ask, mailbox, key } = await startApi(t)
  const box = await mailbox('hello')
  const read = await key(['mailboxes:read'])
  for (const [what, body] of [
    ['auto-reply', { enabled: false }],
    ['spam-filter', { threshold: 3 }],
  ] as const)
    t.equal((await ask('PATCH', `/v1/mailboxes/${box.accountId}/${what}`, { key: read, body })).status, 403)
})
