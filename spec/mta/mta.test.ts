import { readdirSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createMta, type MtaConfig } from '../../mta/mta.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { MemoryCore } from '../support/memory-core.ts'
import { submission } from '../support/outbound-queue.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { tlsMaterial } from '../support/tls-material.ts'

const FREE = { host: '127.0.0.1', port: 0 }

async function make(t: Test, changes: Partial<MtaConfig> = {}, tls = true) {
  const clock = new ManualClock()
  const core = new MemoryCore(() => clock.now())
  const config: MtaConfig = {
    hostname: 'mx.posthouse.test',
    postmaster: 'postmaster@posthouse.test',
    inbound: FREE,
    submission: FREE,
    submissions: FREE,
    routing: { mode: 'capture', folder: t.testdir() },
    dnsServer: '127.0.0.1:9',
    ...changes,
  }
  const mta = createMta({ core, config, clock, logger: silentLogger, tls: tls ? await tlsMaterial() : null })
  t.teardown(async () => {
    const stopped = mta.stop()
    clock.advance(60_000)
    await stopped
  })
  return { mta, core, clock, config }
}

t.test('the MTA listens on its addresses, and works on the queue', async (t) => {
  const { mta, core, config } = await make(t)
  const { inbound, submission: starttls, submissions } = await mta.start()
  for (const [endpoint, tls] of [
    [inbound, false],
    [starttls, false],
    [submissions, true],
  ] as const) {
    const client = await SmtpClient.connect(endpoint!.port, { tls })
    t.match(await client.command('EHLO client.test'), '250-mx.posthouse.test')
    client.end()
  }
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  while (core.reports.length < 1) await turn()
  t.equal(readdirSync((config.routing as { folder: string }).folder).length, 2)
})

t.test('a null address does not listen, and without routing the queue is not processed', async (t) => {
  const { mta, core } = await make(t, { submission: null, submissions: null, routing: null }, false)
  t.match(await mta.start(), { submission: null, submissions: null })
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  for (let i = 0; i < 20; i++) await turn()
  t.equal(core.claims.length, 0)
})

t.test('a port in use is named, and then no listener is open', async (t) => {
  const first = await make(t)
  const { inbound } = await first.mta.start()
  const probe = await make(t, { submission: null, submissions: null })
  const free = (await probe.mta.start()).inbound!
  await probe.mta.stop()
  const second = await make(t, { inbound: free, submission: inbound })
  await t.rejects(second.mta.start(), {
    code: 'configuration',
    message: `submission: port ${inbound!.port} on 127.0.0.1 is in use by another process`,
  })
  await t.rejects(SmtpClient.open(free.port), { code: 'ECONNREFUSED' })
})

t.test('submission without a certificate, and an invalid postmaster address, are refused at once', async (t) => {
  await t.rejects(make(t, {}, false), { code: 'configuration', message: /TLS/ })
  await t.rejects(make(t, { postmaster: 'nobody' }), { code: 'configuration', message: /postmaster/ })
  await t.rejects(make(t, { routing: { mode: 'relay', url: 'nonsense' } }), { code: 'configuration', message: /relay/ })
})

t.test('stop works before start, twice, and after start', async (t) => {
  const { mta } = await make(t)
  await t.resolves(mta.stop())
  const other = await make(t)
  await other.mta.start()
  await t.resolves(Promise.all([other.mta.stop(), other.mta.stop()]))
  await t.resolves(other.mta.stop())
})

t.test('a renewed certificate is used for new connections', async (t) => {
  const { mta } = await make(t)
  const { submissions } = await mta.start()
  mta.renewTls(await tlsMaterial())
  const client = await SmtpClient.connect(submissions!.port, { tls: true })
  t.match(await client.command('NOOP'), '250')
  client.end()
})
