import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { REPUTATION_EVERY_MS } from '../../../server/base/sending-limits.ts'
import { ReputationWorker } from '../../../server/workers/reputations.ts'

t.test('reputations are looked at every five minutes, also after a look that failed, until it stops', async (t) => {
  const clock = new ManualClock()
  let looks = 0
  const evaluateReputations = async () => {
    if (++looks === 1) throw new Error('the store is away')
  }
  const worker = new ReputationWorker({ evaluateReputations }, clock, silentLogger)
  worker.start()
  const pass = async () => {
    clock.advance(REPUTATION_EVERY_MS)
    await new Promise((resolve) => setImmediate(resolve))
  }
  clock.advance(REPUTATION_EVERY_MS - 1)
  t.equal(looks, 0)
  clock.advance(1)
  await new Promise((resolve) => setImmediate(resolve))
  await pass()
  t.equal(looks, 2)
  await worker.stop()
  await pass()
  t.equal(looks, 2)
})
