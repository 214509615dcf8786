import t from 'tap'
import { relayTarget } from '../../../mta/outbound/relay-carrier.ts'
import { startQueue } from '../../support/outbound-queue.ts'
import { startSubmission } from '../../support/smtp-listeners.ts'
import { startPeer } from '../../support/smtp-peer.ts'

t.test('all mail goes to the relay in one transaction', async (t) => {
  const peer = await startPeer(t)
  const { core, send } = await startQueue(t, { routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` } })
  await send(['x@out.test', 'y@other.test'])
  t.equal(peer.messages[0]?.rcpt.length, 2)
  t.match(core.reports[0]?.outcomes, [{ status: 'sent', host: '127.0.0.1' }, { status: 'sent' }])
})

t.test('with user and password it logs in first', async (t) => {
  const peer = await startPeer(t, { extensions: ['AUTH PLAIN', '8BITMIME'] })
  const { send } = await startQueue(t, {
    routing: { mode: 'relay', url: `smtp://us%40er:p%3Aw@127.0.0.1:${peer.port}` },
  })
  await send(['x@out.test'])
  t.ok(peer.lines.includes(`AUTH PLAIN ${Buffer.from('\0us@er\0p:w').toString('base64')}`))
  t.equal(peer.messages.length, 1)
})

t.test('a wrong password bounces nothing', async (t) => {
  const peer = await startPeer(t, {
    extensions: ['AUTH PLAIN'],
    reply: (line) => (line.startsWith('AUTH') ? '535 5.7.8 no' : null),
  })
  const { core, send } = await startQueue(t, { routing: { mode: 'relay', url: `smtp://u:p@127.0.0.1:${peer.port}` } })
  await send(['x@out.test'])
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: '535 5.7.8 no' }])
  t.equal(core.messages.length, 0)
})

t.test('how a relay is spoken to follows from its URL', async (t) => {
  for (const [url, wanted] of [
    ['smtp://relay.test', { name: 'relay.test', port: 25, tls: 'opportunistic', verify: false, login: null }],
    ['smtp://u:p@relay.test', { port: 587, tls: 'required', verify: true, login: { user: 'u', pass: 'p' } }],
    ['smtp://u:p@relay.test:2525', { port: 2525, tls: 'required' }],
    ['smtps://u:p@relay.test', { port: 465, tls: 'implicit', verify: true }],
    ['smtp://u:p@127.0.0.1', { tls: 'opportunistic' }],
    ['smtp://[::1]:25', { name: '::1', port: 25 }],
  ] as const) {
    t.match(relayTarget({ url }), wanted, url)
  }
  t.match(relayTarget({ url: 'smtps://relay.test', verifyTls: false }), { verify: false })
})

t.test('what is no relay is refused at boot, without repeating a password', async (t) => {
  for (const url of [
    'http://relay.test',
    'relay.test:25',
    '',
    'smtp://',
    'smtp://user@relay.test',
    'smtp://u:%zz@relay.test',
  ]) {
    t.throws(() => relayTarget({ url }), { code: 'configuration', message: /^the relay/ }, url)
  }
  try {
    relayTarget({ url: 'http://u:hunter2@relay.test' })
    t.fail('should have thrown')
  } catch (error) {
    t.notMatch((error as Error).message, 'hunter2')
  }
})

t.test('a relay whose certificate is not valid gets no password, unless it need not be', async (t) => {
  const relay = await startSubmission(t, { implicitTls: true })
  const url = `smtps://alice%40posthouse.test:secret@127.0.0.1:${relay.port}`
  const strict = await startQueue(t, { routing: { mode: 'relay', url } })
  await strict.send(['x@out.test'])
  t.match(strict.core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: /^451 4\.4\.1 .*certificate/ }])
  t.equal(relay.core.credentials.length, 0)
  const lax = await startQueue(t, { routing: { mode: 'relay', url, verifyTls: false } })
  await lax.send(['x@out.test'])
  t.match(lax.core.reports[0]?.outcomes, [{ status: 'sent', smtpReply: '250 2.1.5 Recipient ok' }])
})
