/** The outbound queue of a real core, which hands everything to one peer. */
import type { Test } from 'tap'
import { createDnsResolver } from '../../mta/dns/resolver.ts'
import { createLocalDelivery } from '../../mta/inbound/local-delivery.ts'
import { createOutboundQueue, type OutboundQueue } from '../../mta/outbound/queue.ts'
import { silentLogger } from '../../server/base/logger.ts'
import type { TestCore } from './core.ts'

/** Not started; stopped after the test. */
export function relayQueue(
  t: Pick<Test, 'teardown'>,
  { core, clock }: Pick<TestCore, 'core' | 'clock'>,
  port: number,
): OutboundQueue {
  const queue = createOutboundQueue({
    core,
    delivery: createLocalDelivery(core),
    dns: createDnsResolver({ server: '127.0.0.1:9', timeoutMs: 100, tries: 1 }),
    routing: { mode: 'relay', url: `smtp://127.0.0.1:${port}` },
    hostname: 'mx.example.test',
    postmaster: 'postmaster@example.test',
    clock,
    logger: silentLogger,
    random: () => 0.5,
  })
  t.teardown(() => queue.stop())
  return queue
}
