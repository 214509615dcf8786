import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const NONE = { enabled: false, subject: null, body: null, fromDate: null, toDate: null }

await forEachEngine(t, async (t, engine) => {
  const { mailbox, request, organization } = await startCore(t, engine)
  const { accountId } = organization
  const describe = async (id: string) =>
    ((await request([['MailAccount/get', { accountId, ids: [id] }]]))[0]![1] as { list: { autoReply: object }[] })
      .list[0]!.autoReply
  const change = (id: string, autoReply: object) =>
    request([['MailAccount/set', { accountId, update: { [id]: { autoReply: { ...NONE, ...autoReply } } } }]])

  t.test("a JMAP client's VacationResponse appears in the description of the mailbox", async (t) => {
    const box = await mailbox('first')
    const update = { isEnabled: true, subject: 'Away', textBody: 'Back in May.', toDate: '2026-05-01T00:00:00Z' }
    const [, before] = (await request([['MailAccount/get', { accountId, ids: [] }]]))[0]!
    await box.call('VacationResponse/set', { update: { singleton: update } })
    t.same(await describe(box.accountId), {
      enabled: true,
      subject: 'Away',
      body: 'Back in May.',
      fromDate: null,
      toDate: '2026-05-01T00:00:00Z',
    })
    const [, changes] = (
      await request([['MailAccount/changes', { accountId, sinceState: before['state'] as string }]])
    )[0]!
    t.same(changes['updated'], [box.accountId])
  })

  t.test('a change of the description changes the VacationResponse and its state', async (t) => {
    const box = await mailbox('second')
    const { state } = await box.call('VacationResponse/get', { ids: null })
    await change(box.accountId, { enabled: true, body: 'Gone fishing.' })
    const after = await box.call('VacationResponse/get', { ids: null })
    t.match(after.list, [{ isEnabled: true, subject: null, textBody: 'Gone fishing.', htmlBody: null }])
    t.not(after.state, state)
  })

  t.test('HTML stays while its text is unchanged, and is removed with it', async (t) => {
    const box = await mailbox('third')
    const html = async () => (await box.call('VacationResponse/get', { ids: null })).list[0].htmlBody
    await box.call('VacationResponse/set', { update: { singleton: { textBody: 'Away.', htmlBody: '<b>Away.</b>' } } })
    await change(box.accountId, { enabled: true, body: 'Away.' })
    t.equal(await html(), '<b>Away.</b>')
    await change(box.accountId, { enabled: true, body: 'Elsewhere.' })
    t.equal(await html(), null)
  })
})
