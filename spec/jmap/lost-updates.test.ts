/** Promise J5: with ifInState no update of parallel writers is lost. scripts/lost-updates.ts makes ten thousand updates. */
import t from 'tap'
import { startCore } from '../support/core.ts'
import { forEachEngine } from '../support/engines.ts'
import { countTogether } from './model/writers.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)

  t.test('eight writers with ifInState lose no update (RFC 8620 5.3)', async (t) => {
    const { counted, accepted, refused } = await countTogether(await mailbox('guarded'), 8, 200, true)
    t.equal(counted, accepted)
    t.ok(accepted > 0 && refused > 0, 'they were in each other’s way')
  })

  t.test('control: without ifInState they lose updates', async (t) => {
    const { counted, accepted } = await countTogether(await mailbox('unguarded'), 8, 80, false)
    t.ok(counted < accepted)
  })
})
