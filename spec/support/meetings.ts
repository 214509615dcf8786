/** A fake Zoom, the adapter for it, and a worker that keeps meetings. */
import type { Test } from 'tap'
import { type Clock, systemClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { Zoom } from '../../server/conferencing/zoom.ts'
import { Egress } from '../../server/egress/safe-fetch.ts'
import { createMeetingWorker } from '../../server/workers/meetings/meeting-worker.ts'
import type { TestCore } from './core.ts'
import { CREDENTIALS, type FakeZoom } from './zoom.ts'

/** The adapter, with its requests to a server on loopback. */
export function zoomAt(t: Pick<Test, 'teardown'>, { url }: Pick<FakeZoom, 'url'>, clock: Clock = systemClock): Zoom {
  const egress = new Egress({ clock, allowLoopback: true })
  t.teardown(() => egress.close())
  return new Zoom({ base: url, fetch: egress.fetch.bind(egress), clock })
}

/** A worker; each node has one. It is stopped after the test. */
export function startMeetingWorker(
  t: Pick<Test, 'teardown'>,
  { core, clock }: Pick<TestCore, 'core' | 'clock'>,
  zoom: FakeZoom,
): ReturnType<typeof createMeetingWorker> {
  const adapter = zoomAt(t, zoom, clock)
  const worker = createMeetingWorker({ core, keep: adapter.keep.bind(adapter), clock, logger: silentLogger })
  worker.start()
  t.teardown(() => worker.stop())
  return worker
}

/** The record that connects a mailbox to the fake. */
export const ZOOM_CONNECTION = {
  provider: 'zoom',
  account: CREDENTIALS.accountId,
  clientId: CREDENTIALS.clientId,
  clientSecret: CREDENTIALS.clientSecret,
} as const
