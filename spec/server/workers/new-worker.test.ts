/** Adding a worker needs its file, and one line in the list of workers. */
import { setImmediate as settle } from 'node:timers/promises'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { type Logger, silentLogger } from '../../../server/base/logger.ts'
import { every, type WorkerDeps } from '../../../server/workers/worker.ts'
import { createWorkers, line } from '../../../server/workers/workers.ts'

/** The worker's file: it counts the organizations; dev mode does not use it. */
function headcount({ core, config }: WorkerDeps) {
  return config.dev ? null : async () => ({ organizations: (await core.organizations()).length })
}

/** The list of workers with only its new line. */
const LINES = [line('headcount', every(1_000, 100), headcount)]

function start(dev = false) {
  const clock = new ManualClock()
  const logged: [level: string, message: string, fields: object][] = []
  const logger: Logger = {
    ...silentLogger,
    info: (fields, message) => logged.push(['info', message, fields]),
    error: (fields, message) => logged.push(['error', message, fields]),
  }
  const state = { isAway: false }
  const organizations = async () => {
    if (state.isAway) throw new Error('the store is away')
    return [{}, {}]
  }
  const workers = createWorkers(
    { clock, logger, config: { dev }, core: { organizations } } as unknown as WorkerDeps,
    LINES,
  )
  for (const worker of workers) void worker.start()
  const pass = async (ms: number) => {
    clock.advance(ms)
    await settle()
    return logged.splice(0)
  }
  return { workers, pass, state }
}

t.test('a worker on the list runs at the times of its line, and logs its results', async (t) => {
  const { pass } = start()
  t.same(await pass(99), [])
  t.same(await pass(1), [['info', 'headcount', { organizations: 2 }]])
  t.same(await pass(999), [])
  t.same(await pass(1), [['info', 'headcount', { organizations: 2 }]])
})

t.test('a failure is logged under the name of the worker, which continues', async (t) => {
  const { pass, state } = start()
  state.isAway = true
  t.same(await pass(100), [['error', 'headcount failed', { error: 'the store is away' }]])
  state.isAway = false
  t.same(await pass(1_000), [['info', 'headcount', { organizations: 2 }]])
})

t.test('a stopped worker does not run again', async (t) => {
  const { workers, pass } = start()
  t.equal((await pass(100)).length, 1)
  for (const worker of workers) await worker.stop()
  t.same(await pass(10_000), [])
})

t.test('a worker that the configuration does not need is not created', async (t) => {
  t.equal(start(true).workers.length, 0)
  t.equal(start().workers.length, 1, 'control')
})
