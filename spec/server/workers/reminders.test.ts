import t from 'tap'
import { REMINDER_LEASE_MS } from '../../../server/base/reminder-limits.ts'
import { createEvent, lettersOf, mailAlert, startReminders, timesOf } from '../../jmap/calendars/reminders/support.ts'
import { calendarOf } from '../../jmap/calendars/support.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, clock, mailbox, goTo, settle, worker } = await startReminders(t, engine)
  let day = 2
  const nextDay = () => `2026-01-${String(day++).padStart(2, '0')}`
  const turnTo = (time: string) => clock.advance(Date.parse(time) - clock.now())

  t.test('what a dead worker had claimed is sent when its lease ends, and once', async (t) => {
    const box = await mailbox('lease')
    const today = nextDay()
    await createEvent(box, { start: `${today}T12:00:00`, alerts: { a: mailAlert('PT0S') } })
    await settle()
    await worker.stop()
    turnTo(`${today}T12:00:00Z`)
    t.equal((await core.reminders.claim('a worker that dies', 8, REMINDER_LEASE_MS)).length, 1)
    t.same(await core.reminders.claim('another one', 8, REMINDER_LEASE_MS), [])
    worker.start()
    await goTo(new Date(clock.now() + REMINDER_LEASE_MS - 1).toISOString())
    t.same(await timesOf(box), [])
    await goTo(`${today}T12:10:00Z`)
    t.equal((await timesOf(box)).length, 1)
  })

  t.test('a worker whose lease has passed to another one sends nothing', async (t) => {
    const box = await mailbox('fenced')
    const today = nextDay()
    await createEvent(box, { start: `${today}T12:00:00`, alerts: { a: mailAlert('PT0S') } })
    await settle()
    await worker.stop()
    turnTo(`${today}T12:00:00Z`)
    const [slow] = await core.reminders.claim('a slow worker', 8, REMINDER_LEASE_MS)
    const plan = (await core.reminders.plan(slow!))!
    t.equal(plan.letters.length, 1)
    clock.advance(REMINDER_LEASE_MS)
    const [quick] = await core.reminders.claim('a quick worker', 8, REMINDER_LEASE_MS)
    t.equal(await core.reminders.plan(slow!), null)
    await core.reminders.fire(plan)
    t.same(await timesOf(box), [])
    await core.reminders.fire((await core.reminders.plan(quick!))!)
    t.equal((await timesOf(box)).length, 1)
    await core.reminders.fire(plan)
    t.equal((await timesOf(box)).length, 1)
    worker.start()
  })

  t.test('an event that changes or goes between plan and commit is planned anew', async (t) => {
    const box = await mailbox('racing')
    const today = nextDay()
    const moved = await createEvent(box, {
      title: 'Moved',
      start: `${today}T12:00:00`,
      alerts: { a: mailAlert('PT0S') },
    })
    const gone = await createEvent(box, { title: 'Gone', start: `${today}T12:00:00`, alerts: { a: mailAlert('PT0S') } })
    await createEvent(box, { title: 'Same', start: `${today}T12:00:00`, alerts: { a: mailAlert('PT0S') } })
    await settle()
    await worker.stop()
    turnTo(`${today}T12:00:00Z`)
    const [turn] = await core.reminders.claim('a worker', 8, REMINDER_LEASE_MS)
    const plan = (await core.reminders.plan(turn!))!
    t.equal(plan.letters.length, 3)
    await box.call('CalendarEvent/set', { update: { [moved]: { start: `${today}T15:00:00` } }, destroy: [gone] })
    await core.reminders.fire(plan)
    t.same(await timesOf(box), [])
    worker.start()
    await goTo(`${today}T16:00:00Z`)
    const letters = await lettersOf(box)
    t.same(
      letters.map(({ subject, receivedAt }) => `${subject.split(/[:,] /)[1]} ${receivedAt.slice(11, 16)}`),
      ['Same 12:00', 'Moved 15:00'],
    )
  })

  t.test('workers of two nodes send each reminder once', async (t) => {
    const box = await mailbox('nodes')
    const today = nextDay()
    for (let i = 0; i < 5; i++)
      await createEvent(box, { title: `Event ${i}`, start: `${today}T12:0${i}:00`, alerts: { a: mailAlert('PT0S') } })
    await settle()
    await worker.stop()
    for (let i = 0; i < 5; i++) {
      turnTo(`${today}T12:0${i}:00Z`)
      const claims = await Promise.all(['a', 'b', 'c'].map((node) => core.reminders.claim(node, 8, REMINDER_LEASE_MS)))
      t.equal(claims.flat().length, 1)
      for (const turn of claims.flat()) await core.reminders.fire((await core.reminders.plan(turn))!)
    }
    t.equal((await timesOf(box)).length, 5)
    worker.start()
  })

  t.test('many events become due in turns of a bounded size', async (t) => {
    const box = await mailbox('many')
    const today = nextDay()
    const calendarIds = { [await calendarOf(box)]: true }
    const event = (title: string) => ({
      calendarIds,
      title,
      start: `${today}T12:00:00`,
      timeZone: 'Etc/UTC',
      alerts: { a: mailAlert('-PT1H') },
    })
    const create = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`e${i}`, event(`Event ${i}`)]))
    await box.call('CalendarEvent/set', { create })
    await goTo(`${today}T11:00:00Z`)
    const letters = await lettersOf(box)
    t.equal(letters.length, 120)
    t.match(
      letters.filter(({ subject }) => !subject.startsWith('Reminder')),
      [{ subject: '11 reminders' }],
    )
  })
})
