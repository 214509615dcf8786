import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { readConfig } from '../../../server/config/config.ts'
import { gatherSettings } from '../../../server/config/env.ts'
import { readSecrets } from '../../../server/config/secrets.ts'
import { openCore } from '../../../server/threads/open-core.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

const DAY_MS = 86_400_000

// Promise L1: on SQLite the process before has ended.
t.test('a reading of billing that a crash cut off begins again at the next start', async (t) => {
  const data = temporaryFolder(t)
  const clock = new ManualClock()
  const raw = gatherSettings({ dev: true, data, billing: 'fake', writer_thread: 'off', log_level: 'silent' }, {})
  const open = () => {
    const onFatal = () => t.fail('fatal')
    return openCore({ config: readConfig(raw), secrets: readSecrets(raw), clock, logger: silentLogger, onFatal })
  }
  const first = await open()
  const { accountId } = await first.core.createOrganization('Test')
  const number = first.core.ids.accountNumber('organization', accountId)!
  t.equal(await first.core.billing.setFake(number, { plan: 'pro', card: null, trialDays: 14 }), null)
  clock.advance(2 * DAY_MS)
  t.equal((await first.core.billing.claim('first', 1, DAY_MS)).length, 1)
  t.same(await first.core.billing.claim('other', 1, DAY_MS), [], 'control: it is leased')
  await first.core.close()
  const { core } = await open()
  t.teardown(() => core.close())
  const tasks = await core.billing.claim('second', 1, DAY_MS)
  t.match(tasks, [{ organization: number }])
})
