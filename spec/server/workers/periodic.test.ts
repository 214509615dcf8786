import { setImmediate as settle } from 'node:timers/promises'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { Periodic } from '../../../server/workers/periodic.ts'

function start(firstMs = 300) {
  const clock = new ManualClock()
  const state = { turns: 0, fails: false }
  const turn = async () => {
    state.turns++
    if (state.fails) throw new Error('the store is away')
  }
  const logger = silentLogger
  const periodic = new Periodic({ name: 'a look', turn, everyMs: 300, firstMs, clock, logger })
  periodic.start()
  const pass = async (ms: number) => {
    clock.advance(ms)
    await settle()
  }
  return { pass, state, periodic }
}

t.test('the first turn is some time after the start, the next ones at the interval', async (t) => {
  const { pass, state } = start(100)
  await pass(99)
  t.equal(state.turns, 0)
  await pass(1)
  t.equal(state.turns, 1)
  await pass(299)
  t.equal(state.turns, 1)
  await pass(1)
  t.equal(state.turns, 2)
})

t.test('after a failed turn the next one is taken', async (t) => {
  const { pass, state } = start()
  state.fails = true
  await pass(300)
  await pass(300)
  t.equal(state.turns, 2)
})

t.test('after stop() there are no more turns', async (t) => {
  const { pass, state, periodic } = start()
  await pass(300)
  t.equal(state.turns, 1)
  periodic.stop()
  await pass(600)
  t.equal(state.turns, 1)
})
