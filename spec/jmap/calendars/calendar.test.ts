import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const ALERT = { '@type': 'Alert', trigger: { '@type': 'OffsetTrigger', offset: '-PT15M' } }

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const set = (args: object) => hello.call('Calendar/set', { ...args })
  const get = async (ids: string[] | null = null) => (await hello.call('Calendar/get', { ids })).list
  const made = async (more: object = {}) =>
    (await set({ create: { c: { name: 'Work', ...more } } })).created.c.id as string

  t.test('a new account has one calendar, its default, with all rights (draft-ietf-jmap-calendars 4)', async (t) => {
    const list = await (await mailbox('fresh')).call('Calendar/get', { ids: null }).then((answer) => answer.list)
    t.equal(list.length, 1)
    t.match(list[0], {
      name: 'Calendar',
      isDefault: true,
      isSubscribed: true,
      isVisible: true,
      includeInAvailability: 'all',
      shareWith: null,
      myRights: { mayReadItems: true, mayWriteAll: true, mayWriteOwn: true, mayRSVP: true, mayDelete: false },
    })
  })

  t.test('calendars are made, changed and destroyed, and /changes tells', async (t) => {
    const { state } = await hello.call('Calendar/get', { ids: [] })
    const work = await made({ color: '#0af', timeZone: 'Europe/Berlin', defaultAlertsWithTime: { a1: ALERT } })
    t.match((await get([work]))[0], { name: 'Work', color: '#0af', isDefault: false, myRights: { mayDelete: true } })
    await set({ update: { [work]: { name: 'Job', 'defaultAlertsWithTime/a1/trigger/offset': '-PT5M' } } })
    t.match((await get([work]))[0], { name: 'Job', defaultAlertsWithTime: { a1: { trigger: { offset: '-PT5M' } } } })
    const changes = await hello.call('Calendar/changes', { sinceState: state })
    t.same([changes.created, changes.updated, changes.destroyed], [[work], [], []])
    t.same((await set({ destroy: [work] })).destroyed, [work])
  })

  t.test('what is wrong in a calendar is named by its path', async (t) => {
    const refused = async (more: object) => (await set({ create: { c: { name: 'Wrong', ...more } } })).notCreated.c
    const cases: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ color: 'reddish' }, 'color'],
      [{ color: 'rebeccapurple' }, 'color'],
      [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
      [{ timeZone: '+01:00' }, 'timeZone'],
      [{ includeInAvailability: 'some' }, 'includeInAvailability'],
      [{ defaultAlertsWithTime: { a: { action: 'email' } } }, 'defaultAlertsWithTime/a/trigger'],
      [
        { defaultAlertsWithoutTime: { b: { trigger: { '@type': 'AbsoluteTrigger', when: '2026-01-01T00:00:00Z' } } } },
        'defaultAlertsWithoutTime/b/trigger',
      ],
      [
        { defaultAlertsWithTime: { same: ALERT }, defaultAlertsWithoutTime: { same: ALERT } },
        'defaultAlertsWithoutTime/same',
      ],
    ]
    for (const [more, path] of cases)
      t.match(await refused(more), { type: 'invalidProperties', properties: [path] }, JSON.stringify(more))
    t.match(await refused({ shareWith: { prn_x: { mayReadItems: true } } }), { type: 'invalidProperties' })
    t.equal((await refused({ name: 'é'.repeat(128) })).properties[0], 'name', 'octets count, not characters')
  })

  t.test('one calendar is the default: onSuccessSetIsDefault moves it, and it cannot be destroyed', async (t) => {
    const box = await mailbox('defaults')
    const [first] = (await box.call('Calendar/get', { ids: null })).list
    const answer = await box.call('Calendar/set', { create: { c: { name: 'New' } }, onSuccessSetIsDefault: '#c' })
    t.equal(answer.created.c.isDefault, true)
    t.same(answer.updated, { [first.id]: { isDefault: false } })
    const ignored = await box.call('Calendar/set', { onSuccessSetIsDefault: 'cal_none' })
    t.equal(ignored.updated, null, 'an unknown id is ignored')
    const { list } = await box.call('Calendar/get', { ids: null, properties: ['isDefault'] })
    t.same(
      list.filter(({ isDefault }: { isDefault: boolean }) => isDefault).map(({ id }: { id: string }) => id),
      [answer.created.c.id],
    )
    const kept = await box.call('Calendar/set', { destroy: [answer.created.c.id] })
    t.match(kept.notDestroyed[answer.created.c.id], { type: 'forbidden' })
    t.same((await box.call('Calendar/set', { destroy: [first.id] })).destroyed, [first.id], 'control: another one can')
  })

  t.test('a calendar with events stays, unless they are to be removed (draft-ietf-jmap-calendars 4.3)', async (t) => {
    const [one, two] = [await made(), await made({ name: 'Two' })]
    const event = { start: '2026-03-01T10:00:00', timeZone: 'Europe/Berlin', title: 'Lunch' }
    const { created } = await hello.call('CalendarEvent/set', {
      create: {
        both: { ...event, calendarIds: { [one]: true, [two]: true } },
        only: { ...event, calendarIds: { [one]: true } },
      },
    })
    t.match((await set({ destroy: [one] })).notDestroyed[one], { type: 'calendarHasEvent' })
    t.same((await set({ destroy: [one], onDestroyRemoveEvents: true })).destroyed, [one])
    const { list, notFound } = await hello.call('CalendarEvent/get', { ids: [created.both.id, created.only.id] })
    t.same(notFound, [created.only.id])
    t.same(list[0].calendarIds, { [two]: true })
  })
})
