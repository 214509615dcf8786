import t from 'tap'
import { LongRuns } from '../../../jmap/long-runs.ts'
import { maintain, maintainedAt } from '../../../jmap/mail/maintenance.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  t.test('the time of a complete maintenance is kept in the store; one that was cut off is not', async (t) => {
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

  t.test('a mailbox that is deleted where none are kept is erased by the sweep (decision D8)', async (t) => {
    const { core, clock, mailbox, organization, request } = await startCore(t, engine, { mailboxRetentionMs: 0 })
    const { accountId } = await mailbox('brief')
    await request([['MailAccount/set', { accountId: organization.accountId, destroy: [accountId] }]])
    clock.advance(1)
    t.equal((await core.sweep()).mailboxes, 1)
    t.equal((await core.maintenance.run()).mailboxes, 0)
  })
})
