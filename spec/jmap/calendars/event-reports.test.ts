// Decision D34
import t from 'tap'
import type { Result } from '../../support/core.ts'
import { startApi } from '../../support/rest-api.ts'

t.test('changes of calendar events are events for webhooks', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const ada = await mailbox('ada')
  const of = `mailbox=${encodeURIComponent(ada.address)}`
  const reported = async () => {
    const { data } = (await ask('GET', '/v1/events?limit=100')).body
    return (data as Result[]).map(({ event_type, data }) => ({ type: event_type, ...data })).reverse()
  }
  const plan = { mailbox: ada.address, title: 'Plan', start: '2026-06-01T09:00', timezone: 'Europe/Berlin' }
  const made = await ask('POST', '/v1/calendar/events', {
    body: { ...plan, recurrence: { frequency: 'daily', count: 3 } },
  })
  const { id, uid } = made.body
  const second = `${id}_20260602T090000`
  await ask('PATCH', `/v1/calendar/events/${second}`, { body: { mailbox: ada.address, start: '2026-06-02T12:00' } })
  await ask('PATCH', `/v1/calendar/events/${id}`, { body: { mailbox: ada.address, title: 'New plan' } })
  await ask('DELETE', `/v1/calendar/events/${second}?${of}`)
  await ask('DELETE', `/v1/calendar/events/${id}?${of}`)
  const own = { calendar_event_id: id, mailbox: ada.address, uid }
  const whole = { start: '2026-06-01T07:00:00.000Z', end: '2026-06-01T07:30:00.000Z', recurrence_id: null }
  const instance = {
    start: '2026-06-02T10:00:00.000Z',
    end: '2026-06-02T10:30:00.000Z',
    recurrence_id: '2026-06-02T09:00:00',
  }
  t.same(await reported(), [
    { type: 'calendar.event_created', ...own, title: 'Plan', ...whole },
    { type: 'calendar.event_updated', ...own, title: 'Plan', ...instance },
    { type: 'calendar.event_updated', ...own, title: 'New plan', ...whole },
    { type: 'calendar.event_deleted', ...own, title: 'New plan', ...instance },
    { type: 'calendar.event_deleted', ...own, title: 'New plan', ...whole },
  ])

  t.test('an all-day event has dates, and a floating one the times of its owner', async (t) => {
    await ask('PATCH', `/v1/mailboxes/${ada.accountId}`, { body: { timezone: 'Asia/Tokyo' } })
    const before = (await reported()).length
    await ask('POST', '/v1/calendar/events', {
      body: { mailbox: ada.address, title: 'Fair', all_day: true, start: '2026-06-01' },
    })
    await ask('POST', '/v1/calendar/events', { body: { ...plan, timezone: null } })
    t.match((await reported()).slice(before), [
      { start: '2026-06-01', end: '2026-06-02', recurrence_id: null },
      { start: '2026-06-01T00:00:00.000Z', end: '2026-06-01T00:30:00.000Z' },
    ])
  })
})
