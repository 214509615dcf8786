import t from 'tap'
import { BackgroundSlices } from '../../../server/base/background-slices.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'

/** Work that gathers: ten fill a slice, and fewer wait at most 100 ms. */
function gathering() {
  const clock = new ManualClock()
  const slices: number[] = []
  let waiting = 0
  const work = new BackgroundSlices(
    silentLogger,
    'failed',
    async () => {
      const done = Math.min(waiting, 10)
      waiting -= done
      slices.push(done)
      return done
    },
    { clock, ms: 100, enough: 10, waiting: () => waiting },
  )
  const bring = (count: number) => {
    waiting += count
    work.wake()
  }
  return { clock, slices, work, bring }
}

/** Lets running slices end. */
async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}

t.test('a small amount of work waits for more, but not long', async (t) => {
  const { clock, slices, bring } = gathering()
  bring(2)
  clock.advance(60)
  bring(3)
  await turns()
  t.same(slices, [])
  clock.advance(40)
  await turns()
  t.same(slices, [5])
})

t.test('a full slice runs at once, and the rest gathers again', async (t) => {
  const { clock, slices, bring } = gathering()
  bring(24)
  await turns()
  t.same(slices.slice(0, 2), [10, 10])
  bring(1)
  clock.advance(100)
  await turns()
  t.equal(
    slices.reduce((sum, done) => sum + done),
    25,
  )
})

t.test('settle does not wait for more work, and after a stop nothing begins', async (t) => {
  const { clock, slices, work, bring } = gathering()
  bring(3)
  await work.settle()
  t.same(slices, [3])
  bring(3)
  await work.stop()
  clock.advance(100)
  await turns()
  t.same(slices, [3])
})
