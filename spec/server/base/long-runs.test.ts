import t from 'tap'
import { LongRuns } from '../../../server/base/long-runs.ts'

t.test('a call for a running run joins it, and another run starts', async (t) => {
  const runs = new LongRuns()
  let begun = 0
  const end = Promise.withResolvers<void>()
  const work = async () => {
    begun++
    await end.promise
    return { begun }
  }
  const [one, two, other] = [runs.run('sweep', work), runs.run('sweep', work), runs.run('maintenance', work)]
  t.equal(begun, 2)
  end.resolve()
  t.equal(await one, await two)
  t.not(await one, await other)
  await runs.run('sweep', work)
  t.equal(begun, 3, 'when it is over, it begins anew')
})

t.test('stop() makes runs end after their slice and waits for them, also for one that fails', async (t) => {
  const runs = new LongRuns()
  const slices: string[] = []
  const inSlices = runs.run('sweep', async (isStopping) => {
    while (!isStopping()) {
      slices.push('slice')
      await new Promise((resolve) => setImmediate(resolve))
    }
    slices.push('ended')
  })
  const failing = runs.run('maintenance', () => Promise.reject(new Error('the store is away')))
  await t.rejects(failing, /away/)
  await runs.stop()
  t.equal(slices.at(-1), 'ended')
  await inSlices
})
