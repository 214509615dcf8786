import t from 'tap'
import { CalendarEvent } from '../../../jmap/calendars/event/calendar-event.type.ts'
import { changeEvent } from '../../../jmap/calendars/event/store-event.ts'
import { eventOfRow } from '../../../jmap/calendars/event/stored-event.ts'
import { findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import { startCore } from '../../support/core.ts'
import { calendarOf } from './support.ts'

const { mailbox, core, store, clock } = await startCore(t)
const hello = await mailbox('hello')
const calendarIds = { [await calendarOf(hello)]: true }
const ADA = {
  name: 'Ada',
  email: 'ada@example.org',
  calendarAddress: 'mailto:ada@example.org',
  comment: 'Later, please',
}

/** As a scheduling message would change it. */
async function changedByAda(id: string, title: string | null): Promise<void> {
  const number = core.ids.decode(CalendarEvent, id)!.object
  await store.write([hello.account], async (work) => {
    const unit = work.account(hello.account)
    const before = eventOfRow((await findCalendarEvent(unit, hello.account, number))!)
    const after = title === null ? null : { ...before, event: { ...before.event, title } }
    const change = { before, after, changed: ['title'], sendSchedulingMessages: false, cause: ADA }
    t.equal(await changeEvent({ services: core as never, work, unit }, change), null)
  })
}

async function create(title: string): Promise<string> {
  const event = { calendarIds, title, start: '2026-01-01T10:00:00' }
  return (await hello.call('CalendarEvent/set', { create: { e: event } })).created.e.id
}

t.test('a change by a message leaves a notification, which goes when the owner changes the event', async (t) => {
  const id = await create('Lunch')
  const { state } = await hello.call('CalendarEventNotification/get', { ids: null })
  await changedByAda(id, 'Dinner')
  const { list } = await hello.call('CalendarEventNotification/get', { ids: null })
  t.match(list, [
    {
      type: 'updated',
      calendarEventId: id,
      changedBy: { name: 'Ada', email: 'ada@example.org', principalId: null },
      comment: 'Later, please',
      isDraft: false,
      event: { title: 'Lunch' },
      eventPatch: { title: 'Dinner' },
    },
  ])
  const { created } = await hello.call('CalendarEventNotification/changes', { sinceState: state })
  t.same(created, [list[0].id])
  await hello.call('CalendarEvent/set', { update: { [id]: { title: 'Supper' } } })
  t.same((await hello.call('CalendarEventNotification/get', { ids: null })).list, [])
})

t.test('notifications are listed, filtered and dismissed, never made (draft-ietf-jmap-calendars 7)', async (t) => {
  const [one, two] = [await create('One'), await create('Two')]
  await changedByAda(one, 'Uno')
  clock.advance(60_000)
  await changedByAda(two, null)
  const query = async (args: object) => (await hello.call('CalendarEventNotification/query', { ...args })).ids
  const all = await query({ sort: [{ property: 'created', isAscending: true }] })
  t.same(await query({}), all.toReversed(), 'newest first')
  t.same(await query({ filter: { type: 'destroyed' } }), [all[1]])
  t.same(await query({ filter: { calendarEventIds: [one] } }), [all[0]])
  const at = new Date(clock.now()).toISOString().replace('.000', '')
  t.same(await query({ filter: { before: at } }), [all[0]])
  t.same(await query({ filter: { after: at } }), [all[1]])
  const set = { create: { c: {} }, update: { [all[0]]: { comment: 'x' } }, destroy: [all[1]] }
  const answer = await hello.call('CalendarEventNotification/set', set)
  t.match(answer, {
    notCreated: { c: { type: 'forbidden' } },
    notUpdated: { [all[0]]: { type: 'forbidden' } },
    destroyed: [all[1]],
  })
})
