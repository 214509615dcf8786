import t from 'tap'
import { WORK_HERE } from '../../../../jmap/type/message-work.ts'
import {
  SCHEDULING_LATE_READ_MS,
  SCHEDULING_LATE_RETRY_MS,
  SCHEDULING_LATE_SPACE_MS,
  SCHEDULING_READ_MS,
} from '../../../../server/base/calendar-data-limits.ts'
import { type Result, startCore, type TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { placeOf } from '../../delivery/support.ts'
import { checked, eventsOf, invitation, ORGANIZER, send, vcalendar, vevent } from './support.ts'

const LEASE_MS = 30_000

/** Threads that are all busy with texts of others while `isFull`. */
function busyThreads() {
  let waiting: { left: number; resolve: () => void }[] = []
  const threads = {
    isFull: false,
    reads: 0,
    /** Resolves when so many texts wait for a thread. */
    waits: (left = 1) => new Promise<void>((resolve) => waiting.push({ left, resolve })),
    work: {
      ...WORK_HERE,
      readCalendar: (text: Uint8Array, now: string, signal?: AbortSignal) => {
        threads.reads++
        if (!threads.isFull) return WORK_HERE.readCalendar(text, now)
        return new Promise<never>((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          for (const one of waiting) if (--one.left === 0) one.resolve()
          waiting = waiting.filter(({ left }) => left > 0)
        })
      },
    },
  }
  return threads
}

await forEachEngine(t, async (t, engine) => {
  const threads = busyThreads()
  const { mailbox, core, clock } = await startCore(t, engine, {}, { messageWork: threads.work })
  const mine = (box: TestMailbox) => ({ 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': `mailto:${box.address}` })
  const request = (box: TestMailbox, from = ORGANIZER, uid = 'meeting-1@example.org') =>
    vcalendar('REQUEST', vevent({ ...mine(box), UID: uid, ORGANIZER: `mailto:${from}` }))
  const ingest = (box: TestMailbox, from: string, uid?: string) => {
    const bytes = Buffer.from(invitation(request(box, from, uid), { from }))
    const recipients = [{ account: box.account, address: box.address }]
    return core.ingest([{ bytes, recipients, receivedAt: clock.now(), mailFrom: from }])
  }
  /** Delivers while no thread is free. Resolves with the id of the Email. */
  const sendInFlood = async (box: TestMailbox, from = ORGANIZER, uid?: string) => {
    threads.isFull = true
    const waits = threads.waits()
    const delivered = ingest(box, from, uid)
    await waits
    clock.advance(SCHEDULING_READ_MS)
    const [[result]] = (await delivered) as Result
    threads.isFull = false
    return result.emailId as string
  }
  const traceOf = async (box: TestMailbox, id: string) =>
    (await placeOf(box, id)).words.filter((word: string) => word.startsWith('calendar: '))
  const LATE = 'calendar: The calendar part takes long to be read: it is read later.'

  t.test('an invitation in a flood is delivered in time, and has its effect later, once', async (t) => {
    const box = await mailbox('hello1')
    const id = await sendInFlood(box)
    t.same(await eventsOf(box), [])
    t.same(await traceOf(box, id), [LATE])
    const [task] = await core.lateCalendars.claim('one', 10, LEASE_MS)
    await core.lateCalendars.take(task!)
    await core.lateCalendars.take(task!)
    t.match(await eventsOf(box), [{ title: 'Planning', organizerCalendarAddress: `mailto:${ORGANIZER}` }])
    t.same(await traceOf(box, id), [LATE, `calendar: The invitation of ${ORGANIZER} is in the calendar.`])
    t.equal(await core.lateCalendars.nextAt(), null)
    const direct = await mailbox('hello2')
    t.match(await send({ core } as never, direct, request(direct)), [/is in the calendar/], 'the control: no flood')
    t.equal(await core.lateCalendars.nextAt(), null)
  })

  t.test('a worker that dies loses nothing, and one whose lease has ended changes nothing', async (t) => {
    const box = await mailbox('hello3')
    await sendInFlood(box)
    const [dead] = await core.lateCalendars.claim('dead', 10, LEASE_MS)
    t.same(await core.lateCalendars.claim('other', 10, LEASE_MS), [])
    clock.advance(LEASE_MS)
    const [task] = await core.lateCalendars.claim('other', 10, LEASE_MS)
    await core.lateCalendars.take(dead!)
    t.same(await eventsOf(box), [])
    await core.lateCalendars.take(task!)
    t.equal((await eventsOf(box)).length, 1)
  })

  t.test('mail of one sender that takes long keeps nobody else waiting: hosts of a domain take turns', async (t) => {
    const box = await mailbox('hello4')
    const senders = [...Array.from({ length: 3 }, (_, n) => `x${n}@host${n}.example.com`), ORGANIZER]
    threads.isFull = true
    const waits = threads.waits(senders.length)
    const all = senders.map((from, n) => ingest(box, from, `crowd${n}`))
    await waits
    clock.advance(SCHEDULING_READ_MS)
    await Promise.all(all)
    threads.isFull = false
    const taken: string[][] = []
    for (let turn = 0; turn < 3; turn++) {
      for (const task of await core.lateCalendars.claim('one', 10, LEASE_MS)) await core.lateCalendars.take(task)
      taken.push((await eventsOf(box)).map(({ uid }) => uid).sort())
      clock.advance(SCHEDULING_LATE_SPACE_MS)
    }
    t.same(
      taken.map((uids) => [uids.length, uids.includes('crowd3')]),
      [
        [2, true],
        [3, true],
        [4, true],
      ],
    )
  })

  t.test('what never can be read is given up, and says so', async (t) => {
    const box = await mailbox('hello5')
    const id = await sendInFlood(box)
    for (const wait of [...SCHEDULING_LATE_RETRY_MS, 0]) {
      const [task] = await core.lateCalendars.claim('one', 10, LEASE_MS)
      threads.isFull = true
      const waits = threads.waits()
      const taken = core.lateCalendars.take(task!)
      await waits
      clock.advance(SCHEDULING_LATE_READ_MS)
      await taken
      threads.isFull = false
      clock.advance(wait)
    }
    t.equal(await core.lateCalendars.nextAt(), null)
    t.same(await eventsOf(box), [])
    t.match((await traceOf(box, id)).at(-1), /takes too long to be read/)
  })

  t.test('a mail that the owner has moved to Junk, or deleted, has no effect later', async (t) => {
    const box = await mailbox('hello6')
    const junk = await sendInFlood(box)
    await box.call('Email/set', { update: { [junk]: { mailboxIds: { [box.roles['junk']!]: true } } } })
    const gone = await sendInFlood(box, ORGANIZER, 'another')
    await box.call('Email/set', { destroy: [gone] })
    for (const task of await core.lateCalendars.claim('one', 10, LEASE_MS)) await core.lateCalendars.take(task)
    t.same(await eventsOf(box), [])
    t.equal(await core.lateCalendars.nextAt(), null)
    t.match((await traceOf(box, junk)).at(-1), /the mail is junk/)
  })

  t.test('texts of authors who are not shown to be those are not read at all', async (t) => {
    const box = await mailbox('hello7')
    const before = threads.reads
    t.match(await send({ core } as never, box, request(box), { verdict: checked({ dkim: 'other' }) }), [
      /neither DMARC nor an aligned signature/,
    ])
    t.equal(threads.reads, before)
    await send({ core } as never, box, request(box), { verdict: checked({ dkim: 'aligned' }) })
    t.equal(threads.reads, before + 1, 'the control')
  })
})
