import t from 'tap'
import type { JsonObject } from '../../../../server/base/json.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { hearEvents } from '../../../support/hear-events.ts'
import { deliver, eventsIn, outgoing } from '../../delivery/support.ts'
import { mail } from '../../mails.ts'
import { calendarOf } from '../support.ts'
import { createEvent, lettersOf, mailAlert, startReminders, timesOf } from './support.ts'

await forEachEngine(t, async (t, engine) => {
  const reminding = await startReminders(t, engine)
  const { core, store, clock, mailbox, request, organization, goTo, settle, worker } = reminding
  const changeMailbox = async (id: string, patch: JsonObject) => {
    const { accountId } = organization
    const [answer] = await request([['MailAccount/set', { accountId, update: { [id]: patch } }]])
    t.ok(answer![1]['updated'], JSON.stringify(answer))
  }
  /** Midnight of the next day, from which a test counts. */
  const nextDay = () => new Date(Math.ceil((clock.now() + 1) / 86_400_000) * 86_400_000).toISOString().slice(0, 10)

  t.test('the owner gets a mail at its time, in their time zone and language, once', async (t) => {
    const box = await mailbox('owner')
    await changeMailbox(box.accountId, { timezone: 'Europe/Berlin', language: 'de-AT' })
    const day = nextDay()
    const location = { '@type': 'Location', name: 'Caf\u00e9\r\nBcc: eve@example.org' }
    const virtual = { '@type': 'VirtualLocation', uri: 'https://meet.example.org/1' }
    await createEvent(box, {
      title: 'Mittag\r\nessen',
      start: `${day}T12:00:00`,
      locations: { l: location },
      virtualLocations: { v: virtual },
      alerts: { a: mailAlert('-PT15M'), same: mailAlert('-PT15M') },
    })
    await goTo(`${day}T11:44:59Z`)
    t.same(await lettersOf(box), [])
    await goTo(`${day}T11:45:00Z`)
    const [letter, ...more] = await lettersOf(box)
    t.same(more, [])
    t.match(letter, {
      receivedAt: `${day}T11:45:00Z`,
      from: 'postmaster@example.test',
      to: box.address,
      source: 'calendar',
      isInInbox: true,
    })
    t.match(letter!.subject, /^Erinnerung: Mittag essen, .* 13:00/)
    t.match(
      letter!.text,
      /Wann: .*13:00.14:00.*\(Europe\/Berlin\)\nWo: Caf\u00e9 Bcc: eve@example.org\nLink: https:\/\/meet/,
    )
    await goTo(`${day}T23:00:00Z`)
    t.equal((await lettersOf(box)).length, 1)
  })

  t.test('a reminder is no delivery: no script, no automatic reply, no send and no event', async (t) => {
    const box = await mailbox('quiet')
    const script = Buffer.from('require "fileinto";\nfileinto "Archive";\n')
    const { blobId } = (await core.upload(box.principal, box.accountId, 'application/sieve', script))!
    await box.call('SieveScript/set', { create: { s: { name: 'all', blobId } }, onSuccessActivateScript: '#s' })
    await box.call('VacationResponse/set', { update: { singleton: { isEnabled: true, textBody: 'Away.' } } })
    const day = nextDay()
    await createEvent(box, { start: `${day}T12:00:00`, alerts: { a: mailAlert('-PT15M') } })
    await hearEvents(reminding)
    const before = (await eventsIn(reminding)).length
    await goTo(`${day}T12:00:00Z`)
    t.match(await lettersOf(box), [{ isInInbox: true }])
    t.same(await outgoing(reminding), [])
    t.equal((await eventsIn(reminding)).length, before)
    // The control: a message that arrives is filed, answered and reported.
    await deliver(reminding, [box], mail({ to: box.address }), { receivedAt: clock.now() })
    t.match(await lettersOf(box), [{ isInInbox: true }, { isInInbox: false }])
    t.equal((await outgoing(reminding)).length, 1)
    t.equal((await eventsIn(reminding)).length, before + 1)
  })

  t.test('each instance of a series is reminded of, and a change moves what comes', async (t) => {
    const box = await mailbox('series')
    const day = nextDay()
    const rule = { frequency: 'daily', count: 5 }
    const id = await createEvent(box, {
      start: `${day}T12:00:00`,
      recurrenceRule: rule,
      alerts: { a: mailAlert('-PT1H') },
    })
    const later = (days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
    await goTo(`${later(1)}T18:00:00Z`)
    t.same(await timesOf(box), [`${day}T11:00:00Z`, `${later(1)}T11:00:00Z`])
    await box.call('CalendarEvent/set', {
      update: { [id]: { recurrenceOverrides: { [`${later(2)}T12:00:00`]: { start: `${later(2)}T20:00:00` } } } },
    })
    await goTo(`${later(3)}T00:00:00Z`)
    t.same((await timesOf(box)).slice(2), [`${later(2)}T19:00:00Z`])
    await box.call('CalendarEvent/set', { destroy: [id] })
    await goTo(`${later(6)}T00:00:00Z`)
    t.equal((await timesOf(box)).length, 3, 'nothing of a destroyed event')
    t.same(await store.read((r) => r.sql.query((db) => db.selectFrom('calendar_event_reminder').selectAll())), [])
  })

  t.test('default alerts apply where the event says so, in calendars the owner is subscribed to', async (t) => {
    const box = await mailbox('defaults')
    const calendar = await calendarOf(box)
    const day = nextDay()
    await createEvent(box, { start: `${day}T12:00:00`, useDefaultAlerts: true })
    await createEvent(box, { start: `${day}T12:00:00`, title: 'Without' })
    await settle()
    const change = (patch: JsonObject) => box.call('Calendar/set', { update: { [calendar]: patch } })
    await change({ defaultAlertsWithTime: { d: mailAlert('-PT30M') } })
    await goTo(`${day}T11:45:00Z`)
    t.same(await timesOf(box), [`${day}T11:30:00Z`])
    await createEvent(box, { start: `${day}T14:00:00`, useDefaultAlerts: true })
    await change({ isSubscribed: false })
    await goTo(`${day}T13:45:00Z`)
    t.equal((await timesOf(box)).length, 1)
    await createEvent(box, { start: `${day}T16:00:00`, useDefaultAlerts: true })
    await change({ isSubscribed: true })
    await goTo(`${day}T16:00:00Z`)
    t.same((await timesOf(box)).slice(1), [`${day}T15:30:00Z`])
  })

  t.test('a new zone of the owner moves reminders of all-day and floating events', async (t) => {
    const box = await mailbox('traveller')
    const day = nextDay()
    const tomorrow = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
    await createEvent(box, {
      start: `${tomorrow}T00:00:00`,
      duration: 'P1D',
      timeZone: null,
      showWithoutTime: true,
      alerts: { a: mailAlert('-PT1H') },
    })
    await settle()
    await changeMailbox(box.accountId, { timezone: 'Asia/Tokyo' })
    await goTo(`${tomorrow}T12:00:00Z`)
    const [letter] = await lettersOf(box)
    t.equal(letter!.receivedAt, `${day}T14:00:00Z`)
    t.match(letter!.text, 'all day')
    t.equal((await timesOf(box)).length, 1)
  })

  t.test('after a pause: hardly late ones are sent, older ones are in one mail, past ones are not', async (t) => {
    const box = await mailbox('paused')
    const day = nextDay()
    const at = (title: string, time: string) =>
      createEvent(box, { title, start: `${day}T${time}:00`, alerts: { a: mailAlert('-PT20M') } })
    await at('Over', '08:00')
    await at('Going on', '11:30')
    await at('About to start', '12:20')
    await at('Soon', '12:30')
    await at('Later', '15:00')
    await settle()
    await worker.stop()
    clock.advance(Date.parse(`${day}T12:16:00Z`) - clock.now())
    worker.start()
    await settle()
    const letters = await lettersOf(box)
    t.equal(letters.length, 2)
    const summary = letters.find(({ subject }) => subject.startsWith('2 reminders'))
    t.match(summary!.text, /Going on[\s\S]*About to start/)
    t.notMatch(summary!.text, /Over|Soon|Later/)
    t.match(
      letters.find(({ subject }) => subject.startsWith('Reminder')),
      { subject: /^Reminder: Soon/ },
    )
    await goTo(`${day}T15:00:00Z`)
    t.match((await lettersOf(box)).slice(2), [{ subject: /^Reminder: Later/, receivedAt: `${day}T14:40:00Z` }])
  })

  t.test('a time that has passed when the event is written is not reminded of', async (t) => {
    const box = await mailbox('hasty')
    const day = nextDay()
    await goTo(`${day}T11:50:00Z`)
    const id = await createEvent(box, { start: `${day}T12:00:00`, alerts: { a: mailAlert('-PT30M') } })
    await goTo(`${day}T12:00:00Z`)
    t.same(await timesOf(box), [])
    await box.call('CalendarEvent/set', { update: { [id]: { start: `${day}T13:00:00` } } })
    await goTo(`${day}T13:00:00Z`)
    t.same(await timesOf(box), [`${day}T12:30:00Z`], 'its new time is reminded of')
  })

  t.test('drafts, and events that are cancelled or that the owner has declined, have no reminders', async (t) => {
    const box = await mailbox('invited')
    const day = nextDay()
    const attendee = (participationStatus: string) => ({
      organizerCalendarAddress: 'mailto:boss@example.org',
      participants: {
        boss: { '@type': 'Participant', calendarAddress: 'mailto:boss@example.org', roles: { owner: true } },
        me: {
          '@type': 'Participant',
          calendarAddress: `mailto:${box.address}`,
          roles: { attendee: true },
          participationStatus,
        },
      },
    })
    const create = (title: string, more: object) =>
      createEvent(box, { title, start: `${day}T12:00:00`, alerts: { a: mailAlert('-PT5M') }, ...more })
    await create('Accepted', attendee('accepted'))
    await create('Unanswered', attendee('needs-action'))
    await create('Declined', attendee('declined'))
    await create('Cancelled', { status: 'cancelled' })
    await create('Draft', { isDraft: true })
    await create('One less', {
      recurrenceRule: { frequency: 'daily', count: 1 },
      recurrenceOverrides: { [`${day}T12:00:00`]: { status: 'cancelled' } },
    })
    await goTo(`${day}T12:00:00Z`)
    const titles = (await lettersOf(box)).map(({ subject }) => subject.split(/[:,] /)[1])
    t.same(titles.sort(), ['Accepted', 'Unanswered'])
  })

  t.test('a suspended mailbox gets nothing; when it is open again, what is not over is in one mail', async (t) => {
    const box = await mailbox('suspended')
    const day = nextDay()
    await createEvent(box, { start: `${day}T10:00:00`, alerts: { a: mailAlert('-PT5M') } })
    await createEvent(box, {
      title: 'Long',
      start: `${day}T10:00:00`,
      duration: 'PT9H',
      alerts: { a: mailAlert('PT0S') },
    })
    await settle()
    const suspend = (at: number | null) =>
      store.write([box.account], async (work) => {
        await work.sql.query((db) => db.updateTable('account').set({ suspended_at: at }).where('id', '=', box.account))
      })
    await suspend(clock.now())
    await goTo(`${day}T12:00:00Z`)
    t.same(await timesOf(box), [])
    await suspend(null)
    await goTo(`${day}T13:30:00Z`)
    const letters = await lettersOf(box)
    t.equal(letters.length, 1)
    t.match(letters[0]!.text, 'Long')
  })

  t.test('an account gets a limited number of alerts in an hour (JMAP Calendars 8.3)', async (t) => {
    const box = await mailbox('flooded')
    const day = nextDay()
    await createEvent(box, {
      start: `${day}T10:00:00`,
      duration: 'PT10S',
      recurrenceRule: { frequency: 'secondly', interval: 20, count: 1_000 },
      alerts: { a: mailAlert('-PT10S') },
    })
    await goTo(`${day}T10:59:00Z`)
    const count = (await timesOf(box)).length
    t.ok(count > 100 && count <= 121, `${count} mails`)
    t.test('and others get theirs', async (t) => {
      const other = await mailbox('beside')
      await createEvent(other, { start: `${day}T11:30:00`, alerts: { a: mailAlert('-PT30M') } })
      await goTo(`${day}T11:00:00Z`)
      t.same(await timesOf(other), [`${day}T11:00:00Z`])
    })
  })
})
