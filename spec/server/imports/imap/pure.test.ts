/** Parts without a connection: the table of providers, the format of autoconfiguration, the encoding of names, line ends. */
import t from 'tap'
import { withCrlf } from '../../../../server/base/line-ends.ts'
import { decodeModifiedUtf7, encodeModifiedUtf7 } from '../../../../server/base/modified-utf7.ts'
import { readAutoconfig } from '../../../../server/imports/imap/autoconfig.ts'
import { targetsOf } from '../../../../server/imports/imap/discovery.ts'
import { account } from '../../../support/imap-source.ts'

const nowhere = {
  srv: async () => [],
  fetch: async () => {
    throw new Error('nothing is fetched')
  },
}

t.test('named providers have fixed hosts, over TLS, whatever the account says', async (t) => {
  const hosts = {
    gmail: 'imap.gmail.com',
    yahoo: 'imap.mail.yahoo.com',
    aol: 'imap.aol.com',
    icloud: 'imap.mail.me.com',
    fastmail: 'imap.fastmail.com',
    zoho: 'imap.zoho.com',
  } as const
  for (const [provider, host] of Object.entries(hosts)) {
    const given = account(143, { provider: provider as keyof typeof hosts, host: 'evil.example', security: 'starttls' })
    t.same(
      await targetsOf(given, nowhere),
      [{ host, port: 993, security: 'tls', usernames: ['ada@example.org'] }],
      provider,
    )
  }
  const [apple] = await targetsOf(account(993, { provider: 'icloud', email: 'ada@icloud.com' }), nowhere)
  t.same(apple!.usernames, ['ada', 'ada@icloud.com'])
})

t.test('an account on another server is tried where it says, and in both ways if it does not say how', async (t) => {
  const places = async (more: object) =>
    (await targetsOf(account(993, { host: 'mx.example.org', port: null, security: null, ...more }), nowhere)).map(
      ({ host, port, security }) => `${host}:${port} ${security}`,
    )
  t.same(await places({}), ['mx.example.org:993 tls', 'mx.example.org:143 starttls'])
  t.same(await places({ port: 143 }), ['mx.example.org:143 starttls'])
  t.same(await places({ port: 1993 }), ['mx.example.org:1993 tls'])
  t.same(await places({ security: 'starttls' }), ['mx.example.org:143 starttls'])
  t.same(await places({ host: null }), ['imap.example.org:993 tls', 'imap.example.org:143 starttls'])
})

t.test('autoconfiguration names IMAP servers with TLS, and nothing else is taken from it', async (t) => {
  const xml = `<?xml version="1.0"?><clientConfig><emailProvider id="example.org">
    <incomingServer type="pop3"><hostname>pop.example.org</hostname><port>995</port><socketType>SSL</socketType></incomingServer>
    <incomingServer type="imap"><hostname>clear.example.org</hostname><port>143</port><socketType>plain</socketType></incomingServer>
    <incomingServer type="imap"><hostname>a/../b</hostname><port>993</port><socketType>SSL</socketType></incomingServer>
    <incomingServer type="imap"><hostname>Imap.Example.org</hostname><port>1143</port><socketType>STARTTLS</socketType>
      <username>%EMAILLOCALPART%</username></incomingServer>
    <incomingServer type="imap"><hostname>imap2.example.org</hostname><port>993</port><socketType>SSL</socketType></incomingServer>
  </emailProvider></clientConfig>`
  t.same(readAutoconfig(xml, 'ada@example.org'), [
    { host: 'imap.example.org', port: 1143, security: 'starttls', usernames: ['ada'] },
    { host: 'imap2.example.org', port: 993, security: 'tls', usernames: ['ada@example.org'] },
  ])
  t.same(readAutoconfig(`${'<incomingServer '.repeat(4_000)}`, 'ada@example.org'), [], 'no end')
  const answer = { status: 200, headers: {}, body: Buffer.from(xml), url: '' }
  const ports = {
    srv: nowhere.srv,
    fetch: async (url: string) => ({ ...answer, status: url.includes('autoconfig.example.org') ? 404 : 200 }),
  }
  const [first] = await targetsOf(account(0, { host: null, port: null, security: null }), ports)
  t.equal(first!.host, 'imap.example.org')
})

t.test('names in modified UTF-7 are decoded, and others stay', async (t) => {
  const names = [
    ['INBOX', 'INBOX'],
    ['a &- b', 'a & b'],
    ['B&APw-cher', 'Bücher'],
    ['&ZeVnLIqe-', '日本語'],
    ['&2D3eAA-', '😀'],
    ['&bad', '&bad'],
    ['&A-', '&A-'],
  ] as const
  for (const [encoded, name] of names) t.equal(decodeModifiedUtf7(encoded), name, encoded)
  for (const [encoded, name] of names.slice(0, 5)) t.equal(encodeModifiedUtf7(name), encoded, name)
})

t.test('line ends become CRLF only in messages that have none', async (t) => {
  const cases = [
    ['a\nb', 'a\r\nb'],
    ['a\n\nb\n', 'a\r\n\r\nb\r\n'],
    ['a\r\nb\nc', 'a\r\nb\nc'],
    ['a', 'a'],
    ['', ''],
  ] as const
  for (const [from, to] of cases) t.equal((await withCrlf(Buffer.from(from))).toString(), to, JSON.stringify(from))
})
