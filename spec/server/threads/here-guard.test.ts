import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { isFailure } from '../../../server/base/errors.ts'
import { WaitingClient } from '../../../server/base/guard.ts'
import { HERE_MAX_BYTES, HERE_MS, HERE_TURN_MS } from '../../../server/base/reading-limits.ts'
import { HereGuard } from '../../../server/threads/here-guard.ts'
import { ThreadTime } from '../../../server/threads/thread-time.ts'

/** A thread whose time passes by work only. */
function thread() {
  let now = 0
  const time = new ThreadTime(
    () => now,
    () => now,
  )
  return {
    begin: (client?: WaitingClient) => new HereGuard(client, time),
    work(ms: number) {
      now += ms
    },
  }
}

function isDiverted(check: () => void): boolean {
  try {
    check()
    return false
  } catch (error) {
    if (isFailure(error, 'diverted')) return true
    throw error
  }
}

t.test('a request that keeps the thread too long at a time is diverted', async (t) => {
  const { begin, work } = thread()
  const guard = begin()
  work(HERE_TURN_MS)
  t.notOk(isDiverted(() => guard.check()))
  work(1)
  t.ok(isDiverted(() => guard.check()))
})

t.test('a request is not diverted for the time of others in its turn', async (t) => {
  const { begin, work } = thread()
  const first = begin()
  work(1)
  first.check()
  for (let other = 0; other < 20; other++) {
    const guard = begin()
    work(HERE_TURN_MS - 2)
    guard.check()
    work(1)
    guard.end()
    // What marks nothing, such as the writing of answers.
    work(5)
    t.notOk(isDiverted(() => first.check()))
  }
  work(HERE_TURN_MS)
  t.ok(
    isDiverted(() => first.check()),
    'control: its own time',
  )
})

t.test('two requests that take turns at each await are each judged by what they do at a time', async (t) => {
  const { begin, work } = thread()
  const [light, heavy] = [begin(), begin()]
  let rounds = 0
  const divertsHeavy = () => {
    light.check()
    work(1)
    light.check()
    heavy.check()
    work(2)
    return isDiverted(() => heavy.check())
  }
  while (!divertsHeavy()) rounds++
  t.equal(rounds, HERE_TURN_MS / 2)
  t.notOk(isDiverted(() => light.check()))
})

t.test('each turn of the event loop begins anew, until all of them are too much', async (t) => {
  const { begin, work } = thread()
  const guard = begin()
  const each = HERE_TURN_MS - 1
  let turns = 0
  const runsOneMore = () => {
    guard.check()
    work(each)
    return !isDiverted(() => guard.check())
  }
  while (runsOneMore()) {
    turns++
    await nextTurn()
    // Between turns the thread may have waited for anything.
    work(1_000_000)
  }
  t.equal(turns, Math.floor(HERE_MS / each))
})

t.test('time that other processes take from the thread is not that of a request', async (t) => {
  let now = 0
  let cpu = 0
  const guard = new HereGuard(
    undefined,
    new ThreadTime(
      () => now,
      () => cpu,
    ),
  )
  now += HERE_TURN_MS + 1
  cpu += HERE_TURN_MS - 1
  t.notOk(isDiverted(() => guard.check()))
  cpu += 2
  t.ok(
    isDiverted(() => guard.check()),
    'control: its own CPU',
  )
})

t.test('octets of messages and the departure of the client count too', async (t) => {
  const { begin } = thread()
  const guard = begin()
  guard.weigh(HERE_MAX_BYTES)
  t.ok(isDiverted(() => guard.weigh(1)))
  const client = new WaitingClient()
  const other = begin(client)
  other.check()
  client.leave()
  t.throws(() => other.check(), { code: 'abandoned' })
})
