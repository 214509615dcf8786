// A domain's own relay: all its mail is sent there, with login, and never to internal addresses.
import t from 'tap'
import { startQueue } from '../../support/outbound-queue.ts'
import { startPeer } from '../../support/smtp-peer.ts'

t.test('mail of a domain with a relay goes to the relay, other mail by MX', async (t) => {
  const host = await startPeer(t)
  const relay = await startPeer(t, { extensions: ['AUTH PLAIN', 'SIZE 1000000'] })
  const dns = { 'out.test': { mx: [[10, 'mx.out.test']] as [number, string][] }, 'mx.out.test': { a: ['127.0.0.1'] } }
  const { send } = await startQueue(t, { routing: { mode: 'mx', port: host.port }, dns })
  await send(['x@out.test'], { relay: `smtp://user:pass@127.0.0.1:${relay.port}` })
  t.equal(relay.messages.length, 1)
  t.ok(relay.lines.some((line) => line.startsWith('AUTH PLAIN ')))
  t.same(host.messages, [])
  await send(['x@out.test'])
  t.equal(host.messages.length, 1)
})

t.test('a relay is found by name, and not used if its address is forbidden', async (t) => {
  const relay = await startPeer(t)
  const dns = { 'relay.test': { a: ['127.0.0.1'] } }
  const url = `smtp://relay.test:${relay.port}`
  const open = await startQueue(t, { routing: { mode: 'mx' }, dns })
  await open.send(['x@out.test'], { relay: url })
  t.equal(relay.messages.length, 1, 'control')
  const closed = await startQueue(t, { routing: { mode: 'mx' }, dns, isPublic: () => false })
  await closed.send(['x@out.test'], { relay: url })
  t.match(closed.core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: /^451 4\.4\.4/ }])
  t.equal(relay.connections, 1)
})
