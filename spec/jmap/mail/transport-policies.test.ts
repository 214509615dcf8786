// RFC 8461 5: a fetched policy is valid for its time, also after the process has ended.
import t from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, store, clock } = await startCore(t, engine)
  const policies = core.transportPolicies
  const policy = (id: string, until: number) => ({ id, text: `version: STSv1\nmode: none\n`, until })

  t.test('a policy that one process stores is found by the next; the newest counts', async (t) => {
    t.equal(await policies.find('kept.org'), null)
    await policies.keep('kept.org', policy('1', clock.now() + 1_000))
    await policies.keep('kept.org', policy('2', clock.now() + 2_000))
    const next = await createCore({ store, clock, logger: silentLogger })
    t.same(await next.transportPolicies.find('kept.org'), policy('2', clock.now() + 2_000))
    t.equal(await next.transportPolicies.find('other.org'), null)
  })

  t.test('an expired policy is deleted, and no other', async (t) => {
    await policies.keep('over.org', policy('1', clock.now() + 10_000))
    await policies.keep('holds.org', policy('1', clock.now() + 10_001))
    clock.advance(10_000)
    t.ok((await core.sweep()).policies >= 1)
    t.equal(await policies.find('over.org'), null)
    t.match(await policies.find('holds.org'), { id: '1' })
  })
})
