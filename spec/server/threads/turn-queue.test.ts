import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { HERE_FULL_MS } from '../../../server/base/reading-limits.ts'
import { HereGuard } from '../../../server/threads/here-guard.ts'
import { ThreadTime } from '../../../server/threads/thread-time.ts'
import { TurnQueue } from '../../../server/threads/turn-queue.ts'

const EACH_MS = HERE_FULL_MS / 4

/** Requests of EACH_MS, of which each begins as PlacedCalls begins them. */
function thread() {
  let now = 0
  const time = new ThreadTime(
    () => now,
    () => now,
  )
  const queue = new TurnQueue(time)
  const order: number[] = []
  return {
    queue,
    order,
    async request(number: number, { credential = 'anna', hasBegun = false } = {}) {
      if (queue.isFull(hasBegun)) await queue.wait(credential, hasBegun)
      const guard = new HereGuard(undefined, time)
      now += EACH_MS
      guard.check()
      guard.end()
      order.push(number)
    },
  }
}

t.test('requests that fill a turn of the event loop leave the others to later turns, in their order', async (t) => {
  const { order, request } = thread()
  const all = Array.from({ length: 23 }, (_, i) => request(i))
  const perTurn = [order.length]
  while (order.length < all.length) {
    const before = order.length
    await nextTurn()
    perTurn.push(order.length - before)
  }
  await Promise.all(all)
  t.same(
    order,
    all.map((_, i) => i),
  )
  t.equal(perTurn[0], 5)
  t.ok(
    perTurn.every((count) => count <= 5),
    perTurn.join(),
  )
})

t.test('a request that comes later does not overtake those that wait', async (t) => {
  const { order, request } = thread()
  const all = Array.from({ length: 12 }, (_, i) => request(i))
  await nextTurn()
  all.push(request(12))
  await Promise.all(all)
  t.equal(order.at(-1), 12)
})

t.test('credentials take turns: one with many requests makes another wait for one of them', async (t) => {
  const { order, request } = thread()
  const all = Array.from({ length: 20 }, (_, i) => request(i))
  all.push(request(20, { credential: 'bob' }), request(21, { credential: 'bob' }))
  await Promise.all(all)
  t.same(order.slice(0, 10), [0, 1, 2, 3, 4, 5, 20, 6, 21, 7])
})

t.test('a request that has begun comes before those that wait to begin', async (t) => {
  const { order, request } = thread()
  const all = Array.from({ length: 12 }, (_, i) => request(i))
  all.push(request(12, { hasBegun: true }))
  await Promise.all(all)
  t.ok(order.indexOf(12) < order.indexOf(10), order.join())
  t.same(
    order.filter((number) => number !== 12),
    Array.from({ length: 12 }, (_, i) => i),
  )
})

t.test('requests that have begun keep their order among themselves, and leave turns to the sockets', async (t) => {
  const { order, request } = thread()
  const all = Array.from({ length: 12 }, (_, i) => request(i, { hasBegun: true }))
  t.equal(order.length, 5)
  await Promise.all(all)
  t.same(
    order,
    all.map((_, i) => i),
  )
})

t.test('a turn that is not full makes no request wait', async (t) => {
  const { queue, order, request } = thread()
  void request(0)
  t.same(order, [0])
  t.equal(queue.isFull(), false)
  await nextTurn()
  for (let i = 1; i <= 5; i++) void request(i)
  t.equal(queue.isFull(), true)
  await nextTurn()
  t.equal(queue.isFull(), false)
})
