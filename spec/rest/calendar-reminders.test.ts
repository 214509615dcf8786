// Decision D21
import t from 'tap'
import type { JsonObject } from '../../server/base/json.ts'
import { startApi } from '../support/rest-api.ts'

const mail = (offset: string) => ({ '@type': 'Alert', action: 'email', trigger: { '@type': 'OffsetTrigger', offset } })
const shown = (offset: string) => ({ '@type': 'Alert', trigger: { '@type': 'OffsetTrigger', offset } })

t.test('reminders', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const ada = await mailbox('ada')
  const create = async (event: object) => {
    const body = { mailbox: ada.address, title: 'Lunch', start: '2027-01-05T12:00', ...event }
    return (await ask('POST', '/v1/calendar/events', { body })).body
  }
  const change = async (id: string, reminders: readonly number[] | null) => {
    const list = reminders?.map((minutes_before) => ({ minutes_before })) ?? null
    const body = { mailbox: ada.address, reminders: list }
    return (await ask('PATCH', `/v1/calendar/events/${id}`, { body })).body.reminders
  }
  const alertsOf = async (id: string) => (await ada.call('CalendarEvent/get', { ids: [id] })).list[0]
  const setAlerts = (id: string, event: JsonObject) => ada.call('CalendarEvent/set', { update: { [id]: event } })

  await t.test('reminders are alerts by mail with ids that no other alert of the event has', async (t) => {
    const { id } = await create({ reminders: [{ minutes_before: 10 }, { minutes_before: 10 }] })
    t.same((await alertsOf(id)).alerts, { 'reminder-10': mail('-PT10M') })
    // A calendar program may use these ids.
    const others = { 'reminder-10': shown('-PT5M'), 'reminder-10-2': mail('PT10M'), mine: mail('-PT90S') }
    await setAlerts(id, { alerts: others })
    t.same(await change(id, [10, 2]), [{ minutes_before: 10 }, { minutes_before: 2 }])
    t.same((await alertsOf(id)).alerts, { ...others, 'reminder-10-3': mail('-PT10M') }, 'mine is the one of 2 minutes')
    t.same(await change(id, null), [])
    t.same((await alertsOf(id)).alerts, {
      'reminder-10': others['reminder-10'],
      'reminder-10-2': others['reminder-10-2'],
    })
  })

  await t.test('more and earlier reminders of a calendar program are shown', async (t) => {
    const { id } = await create({})
    const alerts = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`a${i}`, mail(`-P${i + 30}D`)]))
    await setAlerts(id, { alerts })
    const { body } = await ask('GET', `/v1/calendar/events/${id}?mailbox=${encodeURIComponent(ada.address)}`)
    t.same(body.reminders.slice(0, 2), [{ minutes_before: 43_200 }, { minutes_before: 44_640 }])
    t.equal(body.reminders.length, 7)
  })

  await t.test('an event with default alerts shows theirs, and gets its own with the first change', async (t) => {
    const calendar = (await ada.call('Calendar/get', { ids: null })).list[0].id
    const defaults = { d: mail('-PT30M'), e: shown('-PT5M') }
    await ada.call('Calendar/set', { update: { [calendar]: { defaultAlertsWithTime: defaults } } })
    const { id } = await create({})
    await setAlerts(id, { useDefaultAlerts: true, alerts: { unused: mail('-PT1M') } })
    const { body } = await ask('GET', `/v1/calendar/events/${id}?mailbox=${encodeURIComponent(ada.address)}`)
    t.same(body.reminders, [{ minutes_before: 30 }])
    t.same(await change(id, [30, 60]), [{ minutes_before: 30 }, { minutes_before: 60 }])
    const after = await alertsOf(id)
    t.same(after.alerts, { ...defaults, 'reminder-60': mail('-PT60M') })
    t.notOk(after.useDefaultAlerts)
  })

  await t.test('the language of a mailbox is set, checked and cleared', async (t) => {
    const path = `/v1/mailboxes/${ada.accountId}`
    t.equal((await ask('GET', path)).body.language, null)
    t.equal((await ask('PATCH', path, { body: { language: 'de' } })).body.language, 'de')
    const wrong = await ask('PATCH', path, { body: { language: 'no_tag' } })
    t.equal(wrong.status, 422)
    t.match(wrong.body.error, { details: [{ field: 'language' }] })
    t.equal((await ask('PATCH', path, { body: { language: null } })).body.language, null)
  })
})
