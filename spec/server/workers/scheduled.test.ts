import { setImmediate as settle } from 'node:timers/promises'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { SWEEP_FIRST_MS } from '../../../server/base/limits.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { CronSchedule } from '../../../server/config/cron-schedule.ts'
import { Scheduled } from '../../../server/workers/scheduled.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = new Date(2026, 6, 1, 12).getTime()
const NIGHT = new Date(2026, 6, 2, 3, 17).getTime()

/** Started at noon, with a schedule of 03:17. */
function start(lastAt: number | null) {
  const clock = new ManualClock(NOON)
  const state = { turns: [] as number[], fails: false, underWay: Promise.resolve() }
  const turns = {
    lastAt: async () => lastAt,
    async take() {
      state.turns.push(clock.now())
      await state.underWay
      if (state.fails) throw new Error('the store is away')
      return {}
    },
  }
  const schedule = CronSchedule.parse('17 3 * * *')!
  const worker = new Scheduled({ name: 'maintenance', schedule, turns, clock, logger: silentLogger })
  worker.start()
  /** Advances the clock minute by minute. */
  const passUntil = async (at: number) => {
    while (clock.now() < at) {
      clock.advance(Math.min(MINUTE, at - clock.now()))
      await settle()
    }
  }
  return { clock, state, worker, passUntil }
}

t.test('a turn is taken in the minute that the schedule names, and once a night', async (t) => {
  const { state, passUntil } = start(NOON - 8 * HOUR)
  await passUntil(NIGHT - MINUTE)
  t.same(state.turns, [])
  await passUntil(NIGHT + MINUTE)
  t.equal(state.turns.length, 1)
  await passUntil(NIGHT + 23 * HOUR)
  t.equal(state.turns.length, 1)
  await passUntil(NIGHT + 24 * HOUR + MINUTE)
  t.equal(state.turns.length, 2)
})

t.test('a turn that was missed while the server was down is taken some minutes after the start', async (t) => {
  const { state, passUntil } = start(NOON - 10 * HOUR)
  await passUntil(NOON + SWEEP_FIRST_MS - 1)
  t.same(state.turns, [])
  await passUntil(NOON + SWEEP_FIRST_MS)
  t.same(state.turns, [NOON + SWEEP_FIRST_MS])
  await passUntil(NIGHT - MINUTE)
  t.equal(state.turns.length, 1)
})

t.test('the first turn of an installation is taken some minutes after its first start', async (t) => {
  const { state, passUntil } = start(null)
  await passUntil(NOON + HOUR)
  t.same(state.turns, [NOON + SWEEP_FIRST_MS])
})

t.test('a turn is made up for after the machine slept', async (t) => {
  const { clock, state, passUntil } = start(NOON - 8 * HOUR)
  await passUntil(NOON + HOUR)
  clock.advance(20 * HOUR)
  await settle()
  await passUntil(clock.now() + MINUTE)
  t.equal(state.turns.length, 1)
})

t.test('a failed turn is repeated at its next time, not at once', async (t) => {
  const { state, passUntil } = start(NOON - 8 * HOUR)
  state.fails = true
  await passUntil(NIGHT + HOUR)
  t.equal(state.turns.length, 1)
  state.fails = false
  await passUntil(NIGHT + 24 * HOUR + MINUTE)
  t.equal(state.turns.length, 2)
})

t.test('turns do not overlap', async (t) => {
  const { state, passUntil } = start(NOON - 8 * HOUR)
  const long = Promise.withResolvers<void>()
  state.underWay = long.promise
  await passUntil(NIGHT + 30 * HOUR)
  t.equal(state.turns.length, 1)
  long.resolve()
})

t.test('after stop() no turn is taken', async (t) => {
  const { state, worker, passUntil } = start(NOON - 8 * HOUR)
  await passUntil(NOON + HOUR)
  worker.stop()
  await passUntil(NIGHT + HOUR)
  t.same(state.turns, [])
})
