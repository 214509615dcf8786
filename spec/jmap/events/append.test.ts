import t from 'tap'
import { appendEvent } from '../../../jmap/events/append.ts'
import { EVENT_TYPES } from '../../../jmap/events/event-types.ts'
import { eventsOf } from '../../../storage/repos/events.ts'
import { subscribeWebhook } from '../../../storage/repos/webhook-subscriptions.ts'
import { newAccount } from '../../storage/accounts.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  t.test('an event is stored for the organization of its account, with the time of its unit of work', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const [organization, mailbox] = await store.write([], async (unit) => {
      const own = await unit.createAccount({ kind: 'organization', organization: null, name: 'Example' })
      const box = await unit.createAccount({ kind: 'mailbox', organization: own.account, name: 'a@example.test' })
      await subscribeWebhook(own, 1, EVENT_TYPES)
      return [own.account, box.account] as const
    })
    await store.write([mailbox], (work) => appendEvent(work.account(mailbox), 'message.received', { to: ['b'] }))
    await store.write([organization], (work) => appendEvent(work.account(organization), 'domain.verified', {}))
    const other = await newAccount(store)
    t.match(await store.read((reader) => eventsOf(reader, organization)), [
      { account: organization, type: 'domain.verified', data: {}, at: clock.now() },
      { account: mailbox, type: 'message.received', data: { to: ['b'] }, at: clock.now() },
    ])
    t.same(await store.read((reader) => eventsOf(reader, other)), [])
  })

  t.test('half characters of texts of strangers are replaced, since readers of JSON refuse them', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await store.write([account], (work) => subscribeWebhook(work.account(account), 1, EVENT_TYPES))
    const told = { name: 'a\ud83d', notes: ['\udc00\u0000', '\u{1f600}', '\\ud83d'], count: 1 }
    await store.write([account], (work) => appendEvent(work.account(account), 'booking.created', told))
    const [event] = await store.read((reader) => eventsOf(reader, account))
    t.same(event?.data, { name: 'a\ufffd', notes: ['\ufffd\u0000', '\u{1f600}', '\\ud83d'], count: 1 })
  })

  t.test('an event without a subscribed webhook is stored without a delivery', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await store.write([account], (work) => subscribeWebhook(work.account(account), 1, ['message.sent']))
    for (const type of ['message.bounced', 'message.sent'] as const)
      await store.write([account], (work) => appendEvent(work.account(account), type, {}))
    const events = await store.read((reader) => eventsOf(reader, account))
    t.same(
      events.map(({ type }) => type),
      ['message.bounced', 'message.sent'],
    )
    const deliveries = await store.read(({ sql }) =>
      sql.query((db) => db.selectFrom('webhook_delivery').select('type')),
    )
    t.match(deliveries, [{ type: 'message.sent' }])
    t.equal(deliveries.length, 1)
  })

  t.test('an event of a failed unit of work is not stored, and its number stays free', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await store.write([account], (work) => subscribeWebhook(work.account(account), 1, EVENT_TYPES))
    await t.rejects(
      store.write([account], async (work) => {
        await appendEvent(work.account(account), 'message.sent', {})
        throw new Error('stop')
      }),
      { message: 'stop' },
    )
    await store.write([account], (work) => appendEvent(work.account(account), 'message.bounced', {}))
    t.match(await store.read((reader) => eventsOf(reader, account)), [{ type: 'message.bounced', number: 1 }])
  })
})
