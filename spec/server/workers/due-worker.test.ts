import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { DueWorker } from '../../../server/workers/due-worker.ts'

interface Task {
  readonly lease: string
  readonly done: PromiseWithResolvers<void>
}

/** A worker over tasks in memory: two at a time, leases of 30 ms, a claim every 100 ms. */
function start(isAbandonedByStop = false) {
  const clock = new ManualClock(0)
  const waiting: { due: number; task: Task }[] = []
  const begun: string[] = []
  const renewed: (readonly string[])[] = []
  const state = { looks: 0, failures: 0 }
  const work = {
    async nextAt() {
      state.looks++
      if (state.failures-- > 0) throw new Error('the store is away')
      return waiting.length === 0 ? null : Math.min(...waiting.map(({ due }) => due))
    },
    async claim(_owner: string, limit: number) {
      const due = waiting.filter((one) => one.due <= clock.now()).slice(0, limit)
      for (const one of due) waiting.splice(waiting.indexOf(one), 1)
      return due.map(({ task }) => task)
    },
    run(task: Task) {
      begun.push(task.lease)
      return task.done.promise
    },
    async renew(leases: readonly string[]) {
      renewed.push(leases)
    },
  }
  const limits = { concurrency: 2, leaseMs: 30, sweepMs: 100, busyMs: 5, isAbandonedByStop }
  const worker = new DueWorker({ name: 'test', work, ...limits, clock, logger: silentLogger })
  const add = (lease: string, due = 0): Task => {
    const task = { lease, done: Promise.withResolvers<void>() }
    waiting.push({ due, task })
    return task
  }
  const settle = async () => {
    for (let i = 0; i < 10; i++) await turn()
  }
  const pass = async (ms: number) => {
    clock.advance(ms)
    await settle()
  }
  return { worker, add, pass, settle, begun, renewed, state }
}

t.test('due tasks begin up to the limit, and each that ends makes room for the next', async (t) => {
  const { worker, add, settle, begun } = start()
  const [a, b, c] = [add('a'), add('b'), add('c')]
  worker.start()
  await settle()
  t.same(begun, ['a', 'b'])
  b.done.resolve()
  await settle()
  t.same(begun, ['a', 'b', 'c'])
  a.done.resolve()
  c.done.reject(new Error('it fails'))
  await worker.stop()
})

t.test('the worker claims when a task is due, when it is woken, and at an interval', async (t) => {
  const { worker, add, pass, settle, begun, state } = start()
  add('later', 40).done.resolve()
  worker.start()
  await settle()
  await pass(39)
  t.same(begun, [])
  await pass(1)
  t.same(begun, ['later'])
  add('unheard', 0).done.resolve()
  await pass(60)
  t.same(begun, ['later'])
  await pass(40)
  t.same(begun, ['later', 'unheard'], 'the sweep')
  add('soon').done.resolve()
  worker.wakeIn(10)
  worker.wakeIn(50)
  await pass(10)
  t.equal(begun.length, 3, 'the sooner of the two counts')
  add('now').done.resolve()
  worker.wake()
  await settle()
  t.equal(begun.length, 4)
  await worker.stop()
  const { looks } = state
  worker.wake()
  await pass(1_000)
  t.equal(state.looks, looks, 'not after it was stopped')
})

t.test('after a claim that fails the worker claims again', async (t) => {
  const { worker, add, pass, settle, begun, state } = start()
  state.failures = 1
  add('a').done.resolve()
  worker.start()
  await settle()
  t.same(begun, [])
  await pass(100)
  t.same(begun, ['a'])
  await worker.stop()
})

t.test('leases are renewed while tasks run, and not after', async (t) => {
  const { worker, add, pass, settle, renewed } = start()
  const [a, b] = [add('a'), add('b')]
  worker.start()
  await settle()
  await pass(9)
  t.same(renewed, [])
  await pass(1)
  t.same(renewed, [['a', 'b']])
  a.done.resolve()
  await settle()
  await pass(10)
  t.same(renewed.at(-1), ['b'])
  b.done.resolve()
  await settle()
  await pass(100)
  t.equal(renewed.length, 2)
  await worker.stop()
})

t.test('stop waits for running tasks and begins no more', async (t) => {
  const { worker, add, settle, begun } = start()
  const [a, b] = [add('a'), add('b'), add('c')]
  worker.start()
  await settle()
  let isStopped = false
  const stopped = worker.stop().then(() => {
    isStopped = true
  })
  a.done.resolve()
  await settle()
  t.notOk(isStopped)
  t.same(begun, ['a', 'b'])
  b.done.resolve()
  await stopped
  t.ok(isStopped)
})

t.test('a worker whose stop abandons its tasks waits for none and renews no lease', async (t) => {
  const { worker, add, pass, settle, renewed, begun } = start(true)
  add('a')
  worker.start()
  await settle()
  await worker.stop()
  add('b')
  await pass(200)
  t.same(renewed, [])
  t.same(begun, ['a'])
})
