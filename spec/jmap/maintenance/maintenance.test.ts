import t from 'tap'
import { maintain, maintainedAt } from '../../../jmap/maintenance/maintenance.ts'
import { LongRuns } from '../../../server/base/long-runs.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  t.test('the time of a complete maintenance is stored; that of an interrupted one is not', async (t) => {
    const { core, store, clock } = await startCore(t, engine)
    t.equal(await core.maintenance.lastAt(), null)
    await core.maintenance.run()
    const first = clock.now()
    t.equal(await maintainedAt({ store }), first)
    clock.advance(86_400_000)
    const longRuns = new LongRuns()
    await Promise.all([maintain({ store, clock, limits: core.limits, longRuns }), longRuns.stop()])
    t.equal(await core.maintenance.lastAt(), first)
    await core.maintenance.run()
    t.equal(await core.maintenance.lastAt(), clock.now(), 'control')
  })

  t.test('a deleted mailbox is erased by the sweep if the retention time is 0 (decision D8)', async (t) => {
    const { core, clock, mailbox, organization, request } = await startCore(t, engine, { mailboxRetentionMs: 0 })
    const { accountId } = await mailbox('brief')
    await request([['MailAccount/set', { accountId: organization.accountId, destroy: [accountId] }]])
    clock.advance(1)
    t.equal((await core.sweep()).mailboxes, 1)
    t.equal((await core.maintenance.run()).mailboxes, 0)
  })
})
