import t from 'tap'
import { CronSchedule } from '../../../server/config/cron-schedule.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Epoch ms of a local time, because schedules use the system's time zone. */
function local(day: number, hour: number, minute: number, second = 0): number {
  return new Date(2026, 6, day, hour, minute, second).getTime()
}

t.test('a schedule is due when one of its minutes begins after the first time and not after the second', async (t) => {
  const nightly = CronSchedule.parse('17 3 * * *')!
  t.equal(nightly.isDue(local(1, 3, 16, 59), local(1, 3, 17)), true)
  t.equal(nightly.isDue(local(1, 3, 16), local(1, 3, 16, 59)), false)
  t.equal(nightly.isDue(local(1, 3, 17), local(1, 3, 18)), false, 'the minute has begun before')
  t.equal(nightly.isDue(local(1, 3, 17), local(2, 3, 16, 59)), false)
  t.equal(nightly.isDue(local(1, 3, 17), local(2, 3, 17)), true)
  t.equal(nightly.isDue(local(1, 9, 0), local(4, 9, 0)), true, 'days later')
  t.equal(nightly.isDue(local(2, 9, 0), local(1, 9, 0)), false, 'the clock was set back')
})

t.test('days of the month and of the week both count', async (t) => {
  // 1 July 2026 is a Wednesday.
  const mondays = CronSchedule.parse('0 4 * * mon')!
  t.equal(mondays.isDue(local(1, 0, 0), local(6, 3, 59)), false)
  t.equal(mondays.isDue(local(1, 0, 0), local(6, 4, 0)), true)
  const firstMondays = CronSchedule.parse('0 4 1-7 * 1')!
  t.equal(firstMondays.isDue(local(1, 0, 0), local(6, 4, 0)), true)
  t.equal(firstMondays.isDue(local(7, 0, 0), local(31, 23, 59)), false)
})

t.test(
  'a schedule looks back for a month, so that a yearly run that was missed long ago waits for its next time',
  async (t) => {
    const yearly = CronSchedule.parse('0 4 1 7 *')!
    t.equal(yearly.isDue(local(1, 0, 0), local(20, 0, 0)), true, 'control')
    t.equal(yearly.isDue(local(1, 0, 0), local(1, 0, 0) + 40 * DAY), false)
  },
)

t.test('an invalid schedule, or one that never occurs, is refused', async (t) => {
  for (const text of ['', 'x', '17 3 * *', '0 17 3 * * *', '@daily', '60 3 * * *', '17 24 * * *', '0 0 31 2 *'])
    t.equal(CronSchedule.parse(text), null, text)
  for (const text of ['17 3 * * *', ' 17  3 * * * ', '*/15 * * * *', '0 4 1,15 * *', '30 2 * jan-jun mon-fri'])
    t.ok(CronSchedule.parse(text), text)
})
