/** The inbound listener over a core with the mailbox hello, and a client that has said EHLO. */
import type { Test } from 'tap'
import { createDnsResolver } from '../../../mta/dns/resolver.ts'
import { createChecks } from '../../../mta/inbound/checks/index.ts'
import { createInboundListener } from '../../../mta/inbound/listener.ts'
import { createLocalDelivery } from '../../../mta/inbound/local-delivery.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { startCore } from '../../support/core.ts'
import { SmtpClient } from '../../support/smtp-client.ts'

const HOSTNAME = 'mx.example.test'

interface OverCore {
  /** Address of the resolver; without one, senders are not checked. */
  readonly dns?: string
  readonly mailboxStorageBytes?: number
  readonly maxErrors?: number
}

export async function startOverCore(t: Test, { dns, mailboxStorageBytes, maxErrors }: OverCore = {}) {
  const world = await startCore(t, 'sqlite', mailboxStorageBytes === undefined ? {} : { mailboxStorageBytes })
  const hello = await world.mailbox('hello')
  const clock = new ManualClock()
  const checks = createChecks({
    hostname: HOSTNAME,
    dns: createDnsResolver({ server: dns ?? '127.0.0.1:9', clock }),
    senderChecks:
      dns === undefined ? null : { dmarc: { overrides: new Map(), trustedSealers: new Set() }, dnsLists: [] },
    clock,
    log: silentLogger,
  })
  const server = createInboundListener({
    hostname: HOSTNAME,
    postmaster: hello.address,
    delivery: createLocalDelivery(world.core, HOSTNAME),
    checks,
    tls: null,
    ...(maxErrors !== undefined && { limits: { maxErrors } }),
    clock,
    logger: silentLogger,
  })
  const { port } = await server.start({ host: '127.0.0.1', port: 0 })
  t.teardown(() => server.stop())
  t.teardown(() => Promise.all(checks.map((check) => check.close?.())))
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  t.teardown(() => client.end())
  const queued = () => world.core.claimSubmissions('looking', 100, 60_000)
  return { ...world, hello, client, queued }
}
