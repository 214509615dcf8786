/** Logins before an import, and why they fail: in words for the owner, without the password and without words of the server. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { ImapAccount } from '../../../../jmap/type/host-ports.ts'
import { ManualClock } from '../../../../server/base/clock.ts'
import { IMAP_LOGIN_MS } from '../../../../server/base/imap-limits.ts'
import { tryLogin } from '../../../../server/imports/imap/login.ts'
import type { ImapReach } from '../../../../server/imports/imap/session-port.ts'
import { startDnsServer } from '../../../support/dns-server.ts'
import { type ImapServerOptions, startImapServer } from '../../../support/imap-server.ts'
import { account, PASSWORD, reachOf } from '../../../support/imap-source.ts'

async function login(
  t: Test,
  options: Partial<ImapServerOptions> = {},
  more: Partial<ImapAccount> = {},
  trusts = true,
) {
  const server = await startImapServer(t, { folders: [], password: PASSWORD, ...options })
  const security = options.security ?? 'tls'
  const plan = { account: account(server.port, { security, ...more }), reach: reachOf(trusts ? server.ca : null) }
  return { answer: await tryLogin(plan, new ManualClock()), server }
}

t.test('the right password is accepted over TLS and over STARTTLS', async (t) => {
  const of = (security: string) => ({
    value: { host: '127.0.0.1', port: Number, security, username: 'ada@example.org' },
  })
  t.match((await login(t)).answer, of('tls'))
  t.match((await login(t, { security: 'starttls' })).answer, of('starttls'))
  const capabilities = ['IMAP4rev1']
  t.match((await login(t, { capabilities })).answer, of('tls'), 'by LOGIN')
})

t.test('a refused login has a reason, without any word of the server', async (t) => {
  const reasons = [
    ['[AUTHENTICATIONFAILED] Invalid credentials', /does not accept this user name and password/],
    ['[ALERT] Application-specific password required: https://support.google.com/x', /needs an app password/],
    ['[ALERT] Your account is not enabled for IMAP use', /IMAP is switched off/],
    ['AUTHENTICATE failed. BasicAuthBlocked', /only sign-in by OAuth/],
    ['[EXPIRED] change it', /has expired/],
    [`wrong: ${PASSWORD}`, /does not accept/],
  ] as const
  for (const [text, message] of reasons) {
    const capabilities = ['IMAP4rev1']
    const reply: ImapServerOptions['reply'] = ({ tag, name }) => (name === 'LOGIN' ? `${tag} NO ${text}\r\n` : null)
    const { answer } = await login(t, { capabilities, reply })
    t.match(answer, { fault: 'authentication', message }, text)
    t.notMatch(JSON.stringify(answer), PASSWORD)
  }
  const oauth = await login(t, { capabilities: ['IMAP4rev1', 'LOGINDISABLED', 'AUTH=XOAUTH2'] })
  t.match(oauth.answer, { fault: 'authentication', message: /only sign-in by OAuth/ })
  t.notOk(
    oauth.server.commands.some((name) => name === 'LOGIN' || name === 'AUTHENTICATE'),
    'no password was sent',
  )
})

t.test('a server that cannot check passwords now is not a wrong password', async (t) => {
  const reply: ImapServerOptions['reply'] = ({ tag, name }) =>
    name === 'LOGIN' ? `${tag} NO [UNAVAILABLE] later\r\n` : null
  t.match((await login(t, { capabilities: ['IMAP4rev1'], reply })).answer, { fault: 'unreachable' })
})

t.test('nothing secret is sent to a server without a trusted certificate, or without TLS', async (t) => {
  const untrusted = await login(t, {}, {}, false)
  t.match(untrusted.answer, { fault: 'untrusted' })
  t.same(untrusted.server.commands, [])
  const clear = await login(t, { security: 'starttls', capabilities: ['IMAP4rev1', 'AUTH=PLAIN'] })
  t.match(clear.answer, { fault: 'untrusted', message: /no encrypted connection/ })
  t.notOk(clear.server.commands.some((name) => name === 'LOGIN' || name === 'AUTHENTICATE'))
  const skipped = await login(t, { security: 'starttls', greeting: '* PREAUTH welcome' })
  t.match(skipped.answer, { fault: 'untrusted' }, 'a greeting that skips the login, and with it STARTTLS')
  const injected = await login(t, {
    security: 'starttls',
    reply: ({ tag, name }) =>
      name === 'STARTTLS' ? `${tag} OK begin\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nx OK done\r\n` : null,
  })
  t.match(injected.answer, { fault: 'untrusted' }, 'answers that came before the handshake')
  for (const { server } of [skipped, injected])
    t.notOk(server.commands.some((name) => name === 'LOGIN' || name === 'AUTHENTICATE'))
  const wrongName = await login(t, {}, { host: 'localhost' })
  t.match(wrongName.answer, { fault: 'untrusted' }, 'a certificate of another host')
})

t.test('private addresses and ports of other services are refused before a connection, unless allowed', async (t) => {
  const server = await startImapServer(t, { folders: [], password: PASSWORD })
  const closed: ImapReach = { reach: {}, ca: server.ca, dns: null }
  const message = /not on the public Internet/
  for (const host of ['127.0.0.1', 'localhost', '127.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254'])
    t.match(
      await tryLogin({ account: account(server.port, { host }), reach: closed }, new ManualClock()),
      { fault: 'unreachable', message },
      host,
    )
  const allowed = { ...closed, reach: { allowNetworks: ['127.0.0.0/8'] } }
  for (const port of [25, 80, 6379])
    t.match(await tryLogin({ account: account(port), reach: allowed }, new ManualClock()), {
      fault: 'unreachable',
      message: /not one of IMAP/,
    })
  t.equal(server.connections, 0)
  t.same(
    await tryLogin({ account: account(server.port), reach: allowed }, new ManualClock()),
    { value: { host: '127.0.0.1', port: server.port, security: 'tls', username: 'ada@example.org' } },
    'control',
  )
})

t.test('a silent server is given up in time', async (t) => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const clock = new ManualClock()
  const { port } = silent.address() as AddressInfo
  const answer = tryLogin({ account: account(port), reach: reachOf(null) }, clock)
  await once(silent, 'connection')
  clock.advance(IMAP_LOGIN_MS)
  t.match(await answer, { fault: 'unreachable' })
})

t.test('the host of an address is found by SRV, with its port and way of TLS', async (t) => {
  const server = await startImapServer(t, { folders: [], password: PASSWORD })
  const dns = await startDnsServer(t, {
    '_imaps._tcp.example.org': {
      srv: [
        [20, 0, 1, 'unused.example.org'],
        [10, 0, server.port, '127.0.0.1'],
      ],
    },
    '_imap._tcp.example.org': { srv: [[0, 0, 0, '']] },
  })
  const reach = { ...reachOf(server.ca), dns: dns.server }
  const plan = { account: account(0, { host: null, port: null, security: null }), reach }
  const value = { host: '127.0.0.1', port: server.port, security: 'tls', username: 'ada@example.org' }
  t.same(await tryLogin(plan, new ManualClock()), { value })
  const again = { account: account(0, { host: '127.0.0.1', port: null, security: null }), reach }
  t.same(await tryLogin(again, new ManualClock()), { value }, 'a host that was found keeps its port')
  const none = { account: account(0, { email: 'ada@example.net', host: null, port: null, security: null }), reach }
  t.match(await tryLogin(none, new ManualClock()), { fault: 'unreachable' })
  t.ok(dns.questions.includes('imap.example.net a'), 'last of all the usual name')
})
