import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { SWEEP_EVERY_MS, SWEEP_FIRST_MS } from '../../../server/base/limits.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { Sweeper } from '../../../server/workers/sweeper.ts'

function start() {
  const clock = new ManualClock()
  const state = { sweeps: 0, fails: false }
  const core = {
    async sweep() {
      state.sweeps++
      if (state.fails) throw new Error('the store is away')
      return {
        references: 0,
        contents: 0,
        strays: 0,
        trimmedAccounts: 0,
        events: 0,
        memories: 0,
        movedBlobs: 0,
        freedBytes: 0,
      }
    },
  }
  const sweeper = new Sweeper(core, clock, silentLogger)
  sweeper.start()
  return { clock, state, sweeper }
}

t.test('it sweeps some time after the start, and then now and then', async (t) => {
  const { clock, state } = start()
  t.equal(state.sweeps, 0)
  clock.advance(SWEEP_FIRST_MS)
  t.equal(state.sweeps, 1)
  await turn()
  clock.advance(SWEEP_EVERY_MS)
  t.equal(state.sweeps, 2)
})

t.test('a sweep that failed is not the last', async (t) => {
  const { clock, state } = start()
  state.fails = true
  clock.advance(SWEEP_FIRST_MS)
  await turn()
  clock.advance(SWEEP_EVERY_MS)
  t.equal(state.sweeps, 2)
})

t.test('after stop() it sweeps no more', async (t) => {
  const { clock, state, sweeper } = start()
  clock.advance(SWEEP_FIRST_MS)
  sweeper.stop()
  await turn()
  clock.advance(SWEEP_EVERY_MS * 2)
  t.equal(state.sweeps, 1)
})
