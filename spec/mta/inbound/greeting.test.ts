// The library delays its greeting by 100 ms (spec/measured.md, smtp-server). Timers do not advance here, so a greeting comes without
// one.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { SMTPServer } from 'smtp-server'
import t from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

t.test('the greeting does not wait for a timer', async (t) => {
  const { port } = await startInbound(t)
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const client = await SmtpClient.open(port)
  t.match(await client.reply(), '220 mx.posthouse.test ESMTP')
  client.end()
})

t.test('control: the greeting of the bare library does', async (t) => {
  const server = new SMTPServer({ logger: false, disableReverseLookup: true })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  mock.timers.enable({ apis: ['setTimeout'] })
  const client = await SmtpClient.open((server.server.address() as AddressInfo).port)
  client.write('NOOP\r\n')
  t.match(await client.reply(), 'You talk too soon')
  await client.closed()
  mock.timers.reset()
  await new Promise<void>((resolve) => server.close(resolve))
})
