/** A core with a push worker and a push service. */
import type { Test } from 'tap'
import { Vapid } from '../../jmap/push/vapid.ts'
import { silentLogger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import { PUSH_GATHER_MS } from '../../server/base/push-limits.ts'
import { Egress } from '../../server/egress/safe-fetch.ts'
import { postPush } from '../../server/workers/push/post.ts'
import { createPushWorker } from '../../server/workers/push/push-worker.ts'
import { type Result, startCore, type TestCore, type TestMailbox } from './core.ts'
import type { EngineName } from './engines.ts'
import { PushClient, type PushService, startPushService } from './push-service.ts'

export interface PushDelivery extends TestCore {
  readonly alice: TestMailbox
  readonly service: PushService
  /** PushSubscription/<name> by a principal, by default alice. */
  call(name: 'get' | 'set', args: object, principal?: Principal): Promise<Result>
  /** A verified subscription, and the client that can decrypt its pushes. */
  subscribe(more?: object, principal?: Principal): Promise<{ id: string; client: PushClient; path: string }>
  readonly worker: ReturnType<typeof createPushWorker>
  /** Advances the clock by the minimum distance of pushes. */
  pass(): Promise<void>
}

/** Everything is stopped after `t`. */
export async function startPushDelivery(t: Test, engine: EngineName = 'sqlite'): Promise<PushDelivery> {
  const started = await startCore(t, engine)
  const { clock, request } = started
  const service = await startPushService(t)
  const alice = await started.mailbox('alice')
  const worker = startPushWorker(t, started, service)
  const call: PushDelivery['call'] = async (name, args, principal = alice.principal) => {
    const [response] = await request([[`PushSubscription/${name}`, args as never]], principal)
    // Changes after this are not gathered with those before.
    await worker.settled()
    clock.advance(PUSH_GATHER_MS)
    return response![1]
  }
  let count = 0
  const pass = async () => {
    await worker.settled()
    clock.advance(2_000)
    await worker.settled()
    clock.advance(100)
  }
  return {
    ...started,
    alice,
    service,
    worker,
    call,
    pass,
    async subscribe(more = {}, principal = alice.principal) {
      const client = new PushClient()
      const path = `/push/${++count}`
      const create = { s: { deviceClientId: 'device', url: service.url + path, keys: client.keys, ...more } }
      const made = await call('set', { create }, principal)
      const { id } = made.created.s
      let push = await service.next()
      // Skips pushes of other subscriptions.
      while (push.path !== path) push = await service.next()
      const { verificationCode } = client.open(push)
      await call('set', { update: { [id]: { verificationCode } } }, principal)
      await pass()
      return { id, client, path }
    },
  }
}

/** A push worker; each node has one. */
export function startPushWorker(
  t: Pick<Test, 'teardown'>,
  { core, clock }: Pick<TestCore, 'core' | 'clock'>,
  { ca }: PushService,
): ReturnType<typeof createPushWorker> {
  const egress = new Egress({ clock, allowLoopback: true, ca })
  const vapid = new Vapid(core.vapidKeys, 'mailto:postmaster@example.test', clock)
  const fetch = egress.fetch.bind(egress)
  const worker = createPushWorker({
    core,
    post: (push) => postPush({ fetch, vapid, clock, logger: silentLogger }, push),
    clock,
    logger: silentLogger,
  })
  t.teardown(async () => {
    await worker.stop()
    await egress.close()
  })
  worker.start()
  return worker
}
