// Promise S3, the client side: replies that an attacker injects in clear after 220, or before TLS, do not count after it.
import { createHash, X509Certificate } from 'node:crypto'
import t, { type Test } from 'tap'
import { startQueue } from '../../support/outbound-queue.ts'
import { type PeerOptions, startPeer } from '../../support/smtp-peer.ts'
import { tlsMaterial } from '../../support/tls-material.ts'

const { publicKey } = new X509Certificate((await tlsMaterial()).cert)
const KEY = createHash('sha256')
  .update(publicKey.export({ type: 'spki', format: 'der' }))
  .digest()
const EHLO = '250-evil.test\n250-SMTPUTF8\n250 DSN'

/** Replies in the same packet as the 220 reply to STARTTLS. */
const BEHIND: { [name: string]: string } = {
  'a 250': '250 ok',
  'a whole answer to EHLO': EHLO,
  'answers to a whole message': `${EHLO}\n250 ok\n250 ok\n354 go on\n250 taken`,
  'a 354': '354 go on',
  'a 421': '421 4.3.2 bye',
  'a 535': '535 5.7.8 no',
  'another 220': '220 go on',
  'what is no reply': 'EHLO evil.test',
  NUL: '250\0 ok',
  'a bare LF': '250 ok\n250 ok',
}

/** Mail to a host whose key is in its TLSA records, so that nothing may be sent in clear. It does not support SMTPUTF8. */
async function start(t: Test, options: PeerOptions) {
  const peer = await startPeer(t, { tls: true, extensions: ['SIZE 1000000'], ...options })
  const dns = {
    'out.test': { mx: [[10, 'mx.out.test']] as [number, string][], authentic: true as const },
    'mx.out.test': { a: ['127.0.0.1'], authentic: true as const },
    [`_${peer.port}._tcp.mx.out.test`]: { tlsa: [[3, 1, 1, KEY]] as const, authentic: true as const },
  }
  return { peer, ...(await startQueue(t, { routing: { mode: 'mx', port: peer.port, dane: true }, dns })) }
}

t.test(
  'control: without injected replies a message goes over TLS, and one that needs SMTPUTF8 is refused',
  async (t) => {
    const { peer, core, send } = await start(t, {})
    await send(['x@out.test'])
    await send(['jörg@out.test'])
    t.match(peer.messages, [{ secure: true }])
    t.match(core.reports[1]?.outcomes, [{ status: 'refused', smtpReply: /5\.6\.7/ }])
  },
)

for (const [name, octets] of Object.entries(BEHIND)) {
  t.test(`${name} behind the 220 of STARTTLS is no answer to commands over TLS`, async (t) => {
    const { peer, core, send } = await start(t, {
      reply: (line) => (line === 'STARTTLS' ? `220 2.0.0 go on\n${octets}` : null),
    })
    await send(['x@out.test'])
    await send(['jörg@out.test'])
    t.same(
      peer.messages.map(({ secure }) => secure),
      [true],
    )
    t.match(core.reports[0]?.outcomes, [{ address: 'x@out.test', status: 'sent', smtpReply: '250 2.0.0 ok' }])
    t.match(
      core.reports[1]?.outcomes,
      [{ address: 'jörg@out.test', status: 'refused', smtpReply: '553 5.6.7' }],
      'the extension that was promised in clear is not believed',
    )
    t.equal(core.reports.length, 2)
  })
}

for (const [name, greeting] of [
  ['with replies behind it', `220 peer.test\n${EHLO}`],
  ['as after a login', '250 peer.test you are in'],
  [
    'that says that STARTTLS is not needed',
    '220 peer.test\n250-peer.test\n250 SIZE 1000000\n250 ok\n250 ok\n354 go on\n250 taken',
  ],
] as const) {
  t.test(`a greeting ${name} sends nothing in clear`, async (t) => {
    const { peer, core, send } = await start(t, { greeting })
    await send(['x@out.test'])
    t.match(core.reports[0]?.outcomes, [{ address: 'x@out.test', status: 'deferred' }])
    t.same(peer.messages, [])
    t.same(
      peer.lines.filter((line) => !line.startsWith('EHLO')),
      [],
      'nothing is said but EHLO',
    )
  })
}
