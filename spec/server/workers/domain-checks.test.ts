import t, { type Test } from 'tap'
import { silentLogger } from '../../../server/base/logger.ts'
import { domainCheckWorker } from '../../../server/workers/domain-checks.ts'
import { startDomainWorld } from '../../support/domain-world.ts'

const MINUTE = 60_000

async function start(t: Test) {
  const world = await startDomainWorld(t)
  const { core, clock } = world
  const worker = domainCheckWorker({ core, clock, logger: silentLogger })
  worker.start()
  t.teardown(() => worker.stop())
  /** Advances the clock in steps of a minute, and lets the worker finish after each. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= MINUTE) {
      clock.advance(Math.min(left, MINUTE))
      await worker.settled()
    }
  }
  return { ...world, worker, pass }
}

t.test('a new domain is checked when its check is due, and not before', async (t) => {
  const { domain, pass, zone } = await start(t)
  const subject = await domain('worker-new.org')
  await subject.publish()
  await pass(4 * MINUTE)
  t.same(zone.questions, [])
  await pass(MINUTE)
  t.equal((await subject.read()).status, 'verified')
})

t.test('a check that is due at the start is made, and again each time it is due', async (t) => {
  const { domain, pass, core, clock, records } = await start(t)
  const subject = await domain('worker-again.org')
  await pass(5 * MINUTE)
  t.equal((await subject.read()).status, 'pending')
  await subject.publish()
  await pass(5 * MINUTE)
  t.equal((await subject.read()).status, 'verified')
  delete records[`${subject.name} MX`]
  clock.advance((await core.domainChecks.nextAt())! - clock.now())
  await pass(11 * MINUTE)
  t.equal((await subject.read()).status, 'degraded')
})

t.test('a check that a dead worker had claimed is made after its lease ends', async (t) => {
  const { domain, pass, core, clock, worker } = await start(t)
  const subject = await domain('worker-lease.org')
  await subject.publish()
  await worker.stop()
  clock.advance(5 * MINUTE)
  t.equal((await core.domainChecks.claim('a worker that dies', 1, 10 * MINUTE)).length, 1)
  worker.start()
  await pass(9 * MINUTE)
  t.equal((await subject.read()).status, 'pending')
  await pass(2 * MINUTE)
  t.equal((await subject.read()).status, 'verified')
})

t.test('after a failure the worker claims again', async (t) => {
  const { domain, core, clock } = await startDomainWorld(t)
  const subject = await domain('worker-failing.org')
  await subject.publish()
  let failures = 2
  const nextAt = () => (failures-- > 0 ? Promise.reject(new Error('the store is away')) : core.domainChecks.nextAt())
  const domainChecks = { ...core.domainChecks, nextAt }
  const worker = domainCheckWorker({
    core: { onStateChange: () => () => {}, domainChecks },
    clock,
    logger: silentLogger,
  })
  worker.start()
  t.teardown(() => worker.stop())
  for (let i = 0; i < 7; i++) {
    await worker.settled()
    clock.advance(MINUTE)
  }
  await worker.settled()
  t.equal((await subject.read()).status, 'verified')
})
