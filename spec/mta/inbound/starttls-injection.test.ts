// Promise S3: 40 cases in which octets or state from before TLS might count after it. None does.
import t from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const MESSAGE = 'DATA\r\nSubject: injected\r\n\r\ninjected\r\n.\r\n'
/** Octets in the same packet as STARTTLS, after its line end. */
const BEHIND: { [name: string]: string } = {
  EHLO: 'EHLO injected.test\r\n',
  HELO: 'HELO injected.test\r\n',
  MAIL: 'MAIL FROM:<injected@out.test>\r\n',
  'MAIL and RCPT': 'MAIL FROM:<injected@out.test>\r\nRCPT TO:<alice@posthouse.test>\r\n',
  'a whole message': `EHLO x.test\r\nMAIL FROM:<injected@out.test>\r\nRCPT TO:<alice@posthouse.test>\r\n${MESSAGE}`,
  'a line without its end': 'MAIL FROM:<injected@out.test>',
  'half a command': 'MAIL FR',
  'an empty line': '\r\n',
  'a bare LF': '\nMAIL FROM:<injected@out.test>\n',
  'a bare CR': '\rMAIL FROM:<injected@out.test>\r',
  NOOP: 'NOOP\r\n',
  RSET: 'RSET\r\n',
  QUIT: 'QUIT\r\n',
  AUTH: 'AUTH PLAIN AGEAYg==\r\n',
  DATA: MESSAGE,
  'STARTTLS again': 'STARTTLS\r\nMAIL FROM:<injected@out.test>\r\n',
  'a long line': `${'x'.repeat(1_500)}\r\n`,
  NUL: '\0\0MAIL FROM:<injected@out.test>\r\n',
}
/** Spellings of STARTTLS. */
const WAYS = { plain: 'STARTTLS\r\n', 'in lower case': 'starttls\r\n' }
/** Commands before STARTTLS. */
const BEFORE: { [name: string]: readonly string[] } = {
  'MAIL in clear': ['MAIL FROM:<injected@out.test>'],
  'MAIL and RCPT in clear': ['MAIL FROM:<injected@out.test>', 'RCPT TO:<alice@posthouse.test>'],
  'two EHLOs in clear': ['EHLO injected.test', 'EHLO injected.test'],
  'RSET in clear': ['MAIL FROM:<injected@out.test>', 'RSET'],
}

let cases = 0
for (const [how, starttls] of Object.entries(WAYS)) {
  for (const [name, octets] of Object.entries(BEHIND)) {
    cases++
    t.test(`${name} behind STARTTLS, written ${how}: not run, before TLS or after`, async (t) => {
      const { core, port } = await startInbound(t, { tls: true })
      const client = await SmtpClient.connect(port)
      await client.command('EHLO client.test')
      await client.startTlsWith(starttls + octets)
      const before = client.log.length
      t.match(await client.command('RCPT TO:<alice@posthouse.test>'), '503', 'no transaction has begun')
      t.match(await client.command('EHLO client.test'), '250')
      t.equal(client.log.slice(before).match(/^\d{3} /gm)?.length, 2, 'nothing else was answered')
      t.match(await client.send('x@out.test', ['alice@posthouse.test'], 'a: b\r\n\r\nc'), '250', 'control: it works')
      t.same(
        core.messages.map(({ mailFrom }) => mailFrom),
        ['x@out.test'],
      )
      t.match(Buffer.from(core.messages[0]!.bytes).toString(), 'with ESMTPS id')
      client.end()
    })
  }
}

for (const [name, commands] of Object.entries(BEFORE)) {
  cases++
  t.test(`${name}: discarded after TLS`, async (t) => {
    const { core, port } = await startInbound(t, { tls: true })
    const client = await SmtpClient.connect(port)
    await client.command('EHLO injected.test')
    for (const command of commands) t.match(await client.command(command), '250')
    await client.startTls()
    t.match(await client.command('RCPT TO:<alice@posthouse.test>'), '503')
    t.match(await client.command('DATA'), '503')
    t.match(await client.command('MAIL FROM:<x@out.test>'), '503', 'EHLO is to be said again (RFC 3207 4.2)')
    await client.command('EHLO client.test')
    await client.send('x@out.test', ['alice@posthouse.test'], 'a: b\r\n\r\nc')
    t.equal(core.messages.length, 1)
    t.equal(core.messages[0]?.verdict?.client?.helo, 'client.test')
    client.end()
  })
}

t.test('there are 40 cases', async (t) => {
  t.ok(cases >= 40, String(cases))
})
