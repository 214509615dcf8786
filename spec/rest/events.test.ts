import t from 'tap'
import { forEachEngine } from '../support/engines.ts'
import { faults, mail, startApi } from '../support/rest-api.ts'

const DAY_MS = 86_400_000

t.test('events', async (t) => {
  await forEachEngine(t, async (t, engine) => {
    const api = await startApi(t, {}, engine)
    const { ask, clock, mailbox, key, stranger } = api
    const alice = await mailbox('alice')
    const start = clock.now()
    const list = async (query = '') => (await ask('GET', `/v1/events${query}`)).body
    const subjects = ({ data }: { data: { data: { subject: string } }[] }) => data.map((event) => event.data.subject)
    for (let i = 0; i < 5; i++) {
      await alice.receive(mail({ Subject: `Mail ${i}`, 'Message-ID': `<${i}@example.org>` }))
      clock.advance(60_000)
    }

    await t.test('are listed without any webhook, newest first, as the envelope that webhooks get', async (t) => {
      const { data, pagination } = await list('?type=message.received')
      t.same(subjects({ data }), ['Mail 4', 'Mail 3', 'Mail 2', 'Mail 1', 'Mail 0'])
      t.same(pagination, { next_cursor: null, has_more: false, limit: 50 })
      t.match(data[0], {
        object: 'event',
        event_id: /^evt_/,
        event_type: 'message.received',
        created_at: new Date(start + 4 * 60_000).toISOString(),
        data: { mailbox_id: alice.accountId, from: 'jane@example.org', to: ['alice@example.test'] },
      })
    })

    await t.test('have the id, the time and the data of their delivery', async (t) => {
      const hook = { url: 'https://hooks.example.org/', events: ['message.received'] }
      const { body: webhook } = await ask('POST', '/v1/webhooks', { body: hook })
      await ask('POST', `/v1/webhooks/${webhook.id}/test`)
      const { body: deliveries } = await ask('GET', `/v1/webhooks/${webhook.id}/deliveries`)
      const path = `/v1/webhooks/${webhook.id}/deliveries/${deliveries.data[0].id}`
      const posted = JSON.parse((await ask('GET', path)).body.request_body)
      const [event] = (await list('?type=webhook.test')).data
      t.same(event, { object: 'event', ...posted })
      await ask('DELETE', `/v1/webhooks/${webhook.id}`)
    })

    await t.test('are paged with their filters in the cursor', async (t) => {
      const first = await list('?type=message.received&limit=2')
      t.same(subjects(first), ['Mail 4', 'Mail 3'])
      const second = await list(`?limit=2&cursor=${first.pagination.next_cursor}`)
      t.same(subjects(second), ['Mail 2', 'Mail 1'])
      const third = await list(`?limit=2&cursor=${second.pagination.next_cursor}`)
      t.same(subjects(third), ['Mail 0'])
      t.notOk(third.pagination.has_more)
    })

    await t.test('are filtered by time, from one time until before another', async (t) => {
      const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString()
      const query = `?type=message.received&created_after=${at(1)}&created_before=${at(3)}`
      t.same(subjects(await list(query)), ['Mail 2', 'Mail 1'])
      t.same((await list(`?type=message.sent&created_after=${at(1)}`)).data, [])
      t.same(faults(await ask('GET', '/v1/events?created_after=yesterday')), [['created_after', 'invalid_format']])
      t.same(faults(await ask('GET', '/v1/events?type=message')), [['type', 'not_allowed']])
    })

    await t.test("of other organizations, and for a limited key, are none; the scope is the webhooks'", async (t) => {
      const other = await stranger()
      t.same((await ask('GET', '/v1/events', { key: other.key })).body.data, [])
      const limited = await key(['webhooks:read'], { mailboxIds: [alice.accountId] })
      t.same((await ask('GET', '/v1/events', { key: limited })).body.data, [])
      const scopeless = await key(['messages:read'])
      t.equal((await ask('GET', '/v1/events', { key: scopeless })).status, 403)
      const reader = await key(['webhooks:read'])
      t.ok((await ask('GET', '/v1/events', { key: reader })).body.data.length > 0, 'control')
    })

    await t.test('are listed for 30 days, and kept twice as long for their deliveries', async (t) => {
      const { core } = api
      clock.advance(30 * DAY_MS - 5 * 60_000)
      t.same(subjects(await list('?type=message.received')).length, 5)
      clock.advance(120_000)
      t.same(subjects(await list('?type=message.received')), ['Mail 4', 'Mail 3', 'Mail 2'])
      clock.advance(DAY_MS)
      t.same((await list('?type=message.received')).data, [])
      t.equal((await core.maintenance.run()).events, 0)
      clock.advance(30 * DAY_MS)
      t.ok((await core.maintenance.run()).events >= 5)
    })
  })
})
