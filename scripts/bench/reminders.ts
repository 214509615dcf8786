/**
 * CPU of reminders on SQLite in memory of one process: calculating the next alerts of 10,000 events of an account (1,000 of them recurring),
 * all of them again after a new time zone of the owner, a look for due accounts among 10,000, and sending. Prints
 * microseconds for each; exits 1 above 500 for an event, above 100 for a look, or above 20,000 for a reminder (decision record 0039).
 *
 *     server/node scripts/bench/reminders.ts [--events 10000] [--recurring 1000] [--accounts 10000] [--sent 100]
 */
import { parseArgs } from 'node:util'
import { createEvent, mailAlert } from '../../spec/jmap/calendars/reminders/support.ts'
import { calendarOf } from '../../spec/jmap/calendars/support.ts'
import { startCore } from '../../spec/support/core.ts'
import { wholeNumber } from '../whole-number.ts'
import { eventAt } from './support/calendar-events.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    recurring: { type: 'string', default: '1000' },
    accounts: { type: 'string', default: '10000' },
    sent: { type: 'string', default: '100' },
  },
})
const EVENT_MAX_US = 500
const LOOK_MAX_US = 100
const SENT_MAX_US = 20_000
const BATCH = 500
const LOOKS = 1_000
const LEASE_MS = 60_000

const { core, store, clock, mailbox, request, organization } = await startCore({ teardown: () => {} })

/** Microseconds of CPU for each of `count`. */
async function cost(count: number, run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

/** Handles everything that is due. */
async function settle(): Promise<void> {
  for (;;) {
    const next = await core.reminders.nextAt()
    if (next === null || next > clock.now()) return
    for (const turn of await core.reminders.claim('bench', 8, LEASE_MS)) {
      const plan = await core.reminders.plan(turn)
      if (plan !== null) await core.reminders.fire(plan)
    }
  }
}

function report(name: string, us: number, max: number): void {
  console.log(`${name}: ${us.toFixed(0)} us of CPU`)
  if (us > max) process.exitCode = 1
}

const events = wholeNumber(values, 'events')
const recurring = wholeNumber(values, 'recurring')
const busy = await mailbox('busy')
const calendarIds = { [await calendarOf(busy)]: true }
for (let from = 0; from < events; from += BATCH) {
  const numbers = Array.from({ length: Math.min(BATCH, events - from) }, (_, i) => from + i)
  const create = Object.fromEntries(
    numbers.map((i) => [
      `e${i}`,
      {
        ...eventAt(i, i < recurring),
        calendarIds,
        alerts: { m: mailAlert('-PT15M'), d: { ...mailAlert('-PT5M'), action: 'display' } },
      },
    ]),
  )
  const { notCreated } = await busy.call('CalendarEvent/set', { create: create as never })
  if (notCreated) throw new Error(JSON.stringify(notCreated).slice(0, 500))
}
report(`an event of ${events}, with two alerts`, await cost(events, settle), EVENT_MAX_US)

const update = { [busy.accountId]: { timezone: 'Asia/Tokyo' } }
await request([['MailAccount/set', { accountId: organization.accountId, update }]])
report('an event after a change of the zone', await cost(events, settle), EVENT_MAX_US)

const sent = wholeNumber(values, 'sent')
const start = new Date(clock.now() + 3_600_000).toISOString().slice(0, 19)
for (let i = 0; i < sent; i++)
  await createEvent(await mailbox(`owner${i}`), { start, alerts: { m: mailAlert('PT0S') } })
await settle()
clock.advance(3_600_000)
report(`a reminder, one in each of ${sent} accounts`, await cost(sent, settle), SENT_MAX_US)

const accounts = wholeNumber(values, 'accounts')
await store.write([], async (unit) => {
  for (let i = 0; i < accounts; i++)
    await unit.sql.query((db) =>
      db.insertInto('reminder_queue').values({
        account: 1_000_000 + i,
        due_at: clock.now() + 86_400_000 + i,
        lease: null,
        lease_until: 0,
        recalculate_after: null,
        counted_since: 0,
        counted: 0,
      }),
    )
})
const look = async () => {
  for (let i = 0; i < LOOKS; i++) await core.reminders.nextAt()
}
await look()
report(`a look among ${accounts} accounts`, await cost(LOOKS, look), LOOK_MAX_US)
await core.close()
