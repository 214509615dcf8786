import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import t, { type Test } from 'tap'
import { relayTarget } from '../../../mta/outbound/relay-transport.ts'
import { scramAnswer, scramFirst } from '../../../mta/outbound/scram.ts'
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

t.test('the example of RFC 7677 3 gives its answers', async (t) => {
  const nonce = 'rOprNGfwEbeRWgbNEkqO'
  t.equal(scramFirst('user', nonce), 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO')
  const server = 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'
  const { message, verifies } = await scramAnswer('user', 'pencil', nonce, server)
  t.equal(
    message,
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
  )
  t.ok(verifies('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='))
  t.notOk(verifies('v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='))
  t.notOk(verifies('e=invalid-proof'))
  t.equal(scramFirst('a=b,c', 'x'), 'n,,n=a=3Db=2Cc,r=x')
  for (const bad of [
    'nonsense',
    server.replace('rOpr', 'rOpx'),
    `r=${nonce},s=W22Z,i=4096`,
    server.replace('4096', '4095'),
    server.replace('4096', '999999999'),
  ])
    await t.rejects(scramAnswer('user', 'pencil', nonce, bad), bad)
})

/** A relay that knows the password `pencil`; `final` is its last message. */
async function scramPeer(t: Test, final: (signature: string) => string, extensions = ['AUTH PLAIN SCRAM-SHA-256']) {
  const salt = Buffer.from('salt').toString('base64')
  let [clientFirst, serverFirst] = ['', '']
  const hmac = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest()
  const say = (text: string) => `334 ${Buffer.from(text).toString('base64')}`
  return startPeer(t, {
    extensions,
    reply: (line) => {
      const [verb, mechanism, initial] = line.split(' ')
      if (verb === 'AUTH' && mechanism === 'SCRAM-SHA-256') {
        clientFirst = Buffer.from(initial!, 'base64').toString().slice(3)
        serverFirst = `${/r=.*/.exec(clientFirst)![0]}more,s=${salt},i=4096`
        return say(serverFirst)
      }
      if (line === '') return '235 2.7.0 ok'
      const text = Buffer.from(line, 'base64').toString()
      if (!text.startsWith('c=biws,')) return null
      const [withoutProof, proof] = text.split(',p=') as [string, string]
      const salted = pbkdf2Sync('pencil', Buffer.from(salt, 'base64'), 4_096, 32, 'sha256')
      const clientKey = hmac(salted, 'Client Key')
      const spoken = `${clientFirst},${serverFirst},${withoutProof}`
      const signature = hmac(createHash('sha256').update(clientKey).digest(), spoken)
      const expected = Buffer.from(clientKey.map((octet, i) => octet ^ signature[i]!)).toString('base64')
      if (proof !== expected) return '535 5.7.8 no'
      return say(final(hmac(hmac(salted, 'Server Key'), spoken).toString('base64')))
    },
  })
}

t.test('a relay with SCRAM gets a proof of the password, and never the password (RFC 8621 9.4)', async (t) => {
  const peer = await scramPeer(t, (signature) => `v=${signature}`)
  const url = (pass: string) => `smtp://user:${pass}@127.0.0.1:${peer.port}`
  const right = await startQueue(t, { routing: { mode: 'relay', url: url('pencil') } })
  await right.send(['x@out.test'])
  t.equal(peer.messages.length, 1)
  t.notOk(peer.lines.some((line) => /AUTH PLAIN/.test(line) || line.includes('pencil')))
  const wrong = await startQueue(t, { routing: { mode: 'relay', url: url('crayon') } })
  await wrong.send(['x@out.test'])
  t.equal(peer.messages.length, 1)
  t.match(wrong.core.reports[0]?.outcomes, [{ status: 'deferred' }])
})

t.test('a relay that does not know the password itself gets no mail', async (t) => {
  const peer = await scramPeer(t, (signature) => `v=${Buffer.from(signature, 'base64').reverse().toString('base64')}`)
  const { core, send } = await startQueue(t, {
    routing: { mode: 'relay', url: `smtp://u:pencil@127.0.0.1:${peer.port}` },
  })
  await send(['x@out.test'])
  t.equal(peer.messages.length, 0)
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred' }])
})

t.test('a wrong password bounces no message', async (t) => {
  const peer = await startPeer(t, {
    extensions: ['AUTH PLAIN'],
    reply: (line) => (line.startsWith('AUTH') ? '535 5.7.8 no' : null),
  })
  const { core, send } = await startQueue(t, { routing: { mode: 'relay', url: `smtp://u:p@127.0.0.1:${peer.port}` } })
  await send(['x@out.test'])
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: '535 5.7.8 no' }])
  t.equal(core.messages.length, 0)
})

t.test('the URL of a relay determines the connection', async (t) => {
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

t.test('an invalid relay is refused at boot, without repeating a password', async (t) => {
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

t.test('a relay with an invalid certificate gets no password, unless verification is off', async (t) => {
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
