import t from 'tap'
import { EVENT_LIFETIME_MS } from '../../../server/base/delivery-limits.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { mail } from '../mails.ts'
import { deliver, eventsIn, outgoing } from './support.ts'

await forEachEngine(t, async (t, engine) => {
  t.test('events are deleted after 60 days and reply memories after 7; younger ones stay', async (t) => {
    const core = await startCore(t, engine)
    await hearEvents(core)
    const { clock } = core
    const report = async () => ({ ...(await core.core.sweep()), ...(await core.core.maintenance.run()) })
    const box = await core.mailbox('hello')
    await box.call('VacationResponse/set', { update: { singleton: { isEnabled: true, textBody: 'Away.' } } })
    await deliver(core, [box], mail({ to: box.address }))
    t.match(await report(), { events: 0, memories: 0 })
    clock.advance(EVENT_LIFETIME_MS)
    await deliver(core, [box], mail({ to: box.address, subject: 'Later' }), { mailFrom: 'eve@example.org' })
    t.match(await report(), { events: 0, memories: 1 })
    clock.advance(1)
    t.match(await report(), { events: 1, memories: 0 })
    t.match(await eventsIn(core), [{ type: 'message.received', data: { subject: 'Later' } }])
    t.equal((await outgoing(core)).length, 2, 'what waits in the queue is still whole')
  })
})
