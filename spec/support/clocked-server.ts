/** The program's own server, in dev mode and in the process of the test, with a clock that the test moves. */
import type { Test } from 'tap'
import { ManualClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { readConfig } from '../../server/config/config.ts'
import { gatherSettings, type OptionValues } from '../../server/config/env.ts'
import { readSecrets } from '../../server/config/secrets.ts'
import { Server } from '../../server/server.ts'
import { type Ready, temporaryFolder } from './posthouse.ts'
import { until } from './until.ts'

export interface ClockedServer {
  readonly ready: Ready
  readonly clock: ManualClock
  /** Moves the clock on until `look` does not throw. Sockets and threads take real time, and leases count by the clock: the steps are small. */
  later<T>(look: () => Promise<T>): Promise<T>
}

const FREE: OptionValues = { http_port: '0', smtp_port: '0', submission_port: '0', submissions_port: '0' }
/** Threads have a clock of their own. */
const WITHOUT_THREADS: OptionValues = { writer_thread: 'off', reading_threads: '0' }
const STEP_MS = 100

/** It is stopped after the test. */
export async function startClocked(t: Test, settings: OptionValues): Promise<ClockedServer> {
  const clock = new ManualClock()
  const data = temporaryFolder(t, 'data')
  const raw = gatherSettings({ dev: true, data, ...FREE, ...WITHOUT_THREADS, ...settings }, {})
  const onFatal = ({ error }: { readonly error: Error }) => t.fail(error.message)
  const config = readConfig(raw)
  const server = await Server.create({ config, secrets: readSecrets(raw), logger: silentLogger, clock, onFatal })
  t.teardown(() => server.stop())
  const { report, credentials } = await server.start()
  return {
    ready: { ...report, ...credentials! },
    clock,
    later: (look) =>
      until(() => {
        clock.advance(STEP_MS)
        return look()
      }),
  }
}
