import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { Failure } from '../../../server/base/errors.ts'
import { WaitingClient } from '../../../server/base/guard.ts'
import {
  ANSWER_MAX_BYTES,
  READ_BULK_BYTES,
  READ_GRACE_MS,
  READ_MS,
  READ_WAIT_MS,
  READER_IDLE_MS,
  UNSENT_MAX_BYTES,
} from '../../../server/base/reading-limits.ts'
import { UnsentAnswers } from '../../../server/base/unsent-answers.ts'
import { Readers, type ReadingThread } from '../../../server/threads/readers.ts'

/** A thread that runs until it gets the outcome. */
class HeldThread implements ReadingThread {
  readonly running = new Map<string, PromiseWithResolvers<unknown>>()
  /** Octets that the answers may have, of each try. */
  readonly octets: [path: string, octets: number][] = []
  readonly cancelled: number[] = []
  readonly ended = Promise.withResolvers<void>()
  isEnding = false

  run({ path }: { path: string }, _place: number, _ms: number, octets: number): Promise<unknown> {
    this.octets.push([path, octets])
    const done = Promise.withResolvers<unknown>()
    this.running.set(path, done)
    return done.promise.finally(() => this.running.delete(path))
  }

  cancel(place: number): void {
    this.cancelled.push(place)
  }

  end(): Promise<void> {
    this.isEnding = true
    return this.ended.promise
  }
}

function pool({ threads = 1, places = 1 } = {}) {
  const clock = new ManualClock()
  const started: HeldThread[] = []
  const readers = new Readers({
    start() {
      const thread = new HeldThread()
      started.push(thread)
      return thread
    },
    threads,
    places,
    unsent: new UnsentAnswers(),
    clock,
  })
  const run = (path: string, holder = 'anna', client?: WaitingClient) =>
    readers.run(
      { path, detach: () => ({ value: [], transfer: [] }), restartsLarge: false, isBulky: false },
      holder,
      client,
    )
  const finish = async (path: string, value: unknown = path) => {
    for (const thread of started) thread.running.get(path)?.resolve(value)
    // Settling passes several promises.
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
  /** Its answer is larger than it may be beside others. */
  const grow = async (path: string) => {
    for (const thread of started) thread.running.get(path)?.reject(new Failure('bulky', 'large'))
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
  const running = () => started.flatMap((thread) => [...thread.running.keys()])
  return { clock, started, readers, run, finish, grow, running }
}

t.test('there are as many threads as there is work for, up to the limit', async (t) => {
  const { started, run, finish, running } = pool({ threads: 2 })
  t.equal(started.length, 0, 'none without work')
  const all = ['a', 'b', 'c'].map((path) => run(path))
  t.equal(started.length, 2)
  t.same(running(), ['a', 'b'])
  await finish('a')
  t.same(running().sort(), ['b', 'c'])
  await finish('b')
  await finish('c')
  t.same(await Promise.all(all), ['a', 'b', 'c'])
})

t.test('the client with the fewest requests under way comes first', async (t) => {
  const { run, finish, running } = pool({ threads: 2 })
  const greedy = ['1', '2', '3', '4'].map((path) => run(path, 'greedy'))
  const modest = run('modest', 'modest')
  await finish('1')
  t.same(running().sort(), ['2', 'modest'], 'before two that came earlier')
  for (const path of ['2', '3', '4', 'modest']) await finish(path)
  await Promise.all([...greedy, modest])
})

t.test('requests of a disconnected client end, whether they wait or run', async (t) => {
  const { started, run, finish, running } = pool()
  const [first, second] = [new WaitingClient(), new WaitingClient()]
  const runs = t.rejects(run('runs', 'anna', first), { code: 'abandoned' })
  const waits = t.rejects(run('waits', 'anna', second), { code: 'abandoned' })
  const stays = run('stays')
  second.leave()
  await waits
  first.leave()
  await runs
  t.same(started[0]!.cancelled, [0])
  t.same(running(), ['runs'], 'until the thread has heard of it')
  await finish('runs')
  t.same(running(), ['stays'])
  await finish('stays')
  t.equal(await stays, 'stays')
})

t.test('a request that waits too long is refused', async (t) => {
  const { clock, run, finish, running } = pool()
  const [first, second] = [run('first'), run('second')]
  const third = t.rejects(run('third'), { code: 'busy' })
  clock.advance(READ_MS)
  await finish('first')
  t.same(running(), ['second'])
  clock.advance(READ_WAIT_MS - READ_MS)
  await third
  await finish('second')
  t.same(await Promise.all([first, second]), ['first', 'second'])
})

t.test('one client has at most two requests under way', async (t) => {
  const { run, finish, running } = pool({ places: 8 })
  const all = ['1', '2', '3'].map((path) => run(path, 'greedy'))
  const other = run('other', 'other')
  t.same(running(), ['1', '2', 'other'])
  await finish('1')
  t.same(running().sort(), ['2', '3', 'other'])
  for (const path of ['2', '3', 'other']) await finish(path)
  await Promise.all([...all, other])
})

t.test('large answers are made one at a time, beside small ones', async (t) => {
  const { started, run, finish, grow, running } = pool({ threads: 2 })
  const all = ['1', '2'].map((path) => run(path))
  await grow('1')
  await grow('2')
  t.same(running(), ['1'], 'begun again')
  t.same(started[0]!.octets, [
    ['1', READ_BULK_BYTES],
    ['1', Number.POSITIVE_INFINITY],
  ])
  const small = run('small', 'bob')
  t.same(running().sort(), ['1', 'small'])
  await finish('1')
  t.same(running().sort(), ['2', 'small'])
  await finish('2')
  await finish('small')
  t.same(await Promise.all([...all, small]), ['1', '2', 'small'])
  const next = run('3')
  await grow('3')
  t.same([...started[0]!.running.keys()], ['3'], 'by the thread that made the others')
  await finish('3')
  await next
})

t.test('a large answer is not made again for a client that has gone', async (t) => {
  const { run, finish, grow, running } = pool()
  const client = new WaitingClient()
  const gone = t.rejects(run('gone', 'anna', client), { code: 'abandoned' })
  const next = run('next')
  client.leave()
  await gone
  await grow('gone')
  t.same(running(), ['next'])
  await finish('next')
  await next
})

t.test('unread answers of a client count towards its limit', async (t) => {
  const { run, finish, running } = pool()
  const reader = new WaitingClient()
  const answer = { status: 200, body: [new Uint8Array(UNSENT_MAX_BYTES - ANSWER_MAX_BYTES + 1)] }
  const first = run('first', 'anna', reader)
  await finish('first', answer)
  t.equal(await first, answer)
  const second = run('second', 'anna', new WaitingClient())
  const other = run('other', 'bob', new WaitingClient())
  t.same(running(), ['other'], 'another client has room of its own')
  await finish('other')
  t.same(running(), [])
  reader.leave()
  t.same(running(), ['second'], 'when it has read it')
  await finish('second', { status: 200, body: '{}' })
  await Promise.all([second, other])
})

t.test('a thread that does not return from its work is replaced', async (t) => {
  const { clock, started, run, finish, running } = pool()
  const lost = t.rejects(run('lost'), { code: 'overdue' })
  const next = run('next')
  clock.advance(READ_MS + READ_GRACE_MS)
  await lost
  t.equal(started.length, 2)
  t.ok(started[0]!.isEnding)
  t.same(running(), ['lost', 'next'])
  await finish('next')
  t.equal(await next, 'next')
})

t.test('a thread without work ends after a while', async (t) => {
  const { clock, started, run, finish } = pool()
  const first = run('first')
  await finish('first')
  await first
  clock.advance(READER_IDLE_MS - 1)
  const second = run('second')
  t.equal(started.length, 1, 'it was still there')
  await finish('second')
  await second
  clock.advance(READER_IDLE_MS)
  t.ok(started[0]!.isEnding)
  const third = run('third')
  t.equal(started.length, 2)
  await finish('third')
  await third
})

t.test('after close() nothing runs or waits', async (t) => {
  const { readers, started, run } = pool()
  const runs = t.rejects(run('runs'), { code: 'shuttingDown' })
  const waits = t.rejects(run('waits'), { code: 'shuttingDown' })
  const closed = readers.close()
  await Promise.all([runs, waits])
  t.same(started[0]!.cancelled, [0])
  started[0]!.ended.resolve()
  await closed
  await t.rejects(run('late'), { code: 'shuttingDown' })
})
