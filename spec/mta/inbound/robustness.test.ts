// Promise S7: the server survives any client input.
import fc from 'fast-check'
import t from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const WHOLE = 'EHLO x.test\r\nMAIL FROM:<>\r\nRCPT TO:<alice@posthouse.test>\r\nDATA\r\na: b\r\n.\r\n'
const WORDS = [
  WHOLE,
  WHOLE,
  'EHLO x.test\r\n',
  'HELO x\r\n',
  'EHLO \0\r\n',
  'MAIL FROM:<a@b.test>\r\n',
  'MAIL FROM:<> SIZE=5 BODY=8BITMIME SMTPUTF8\r\n',
  'MAIL FROM:<"\\"@x>\r\n',
  'RCPT TO:<alice@posthouse.test>\r\n',
  'RCPT TO:<nobody@posthouse.test> NOTIFY=NEVER\r\n',
  'RCPT TO:<\xff\xfe@x>\r\n',
  'DATA\r\n',
  'Subject: x\r\n\r\nbody\r\n',
  '.\r\n',
  '..\r\n',
  '\r\n',
  '\n',
  '\r',
  '\0',
  'RSET\r\n',
  'STARTTLS\r\n',
  '\x16\x03\x01\x00\x05hello',
  'AUTH PLAIN ====\r\n',
  '*\r\n',
  'NOOP\r\n',
  'QUIT\r\n',
  `${'x'.repeat(3_000)}\r\n`,
]

t.test('random sessions, cut and reset anywhere, leave the server able to receive mail', async (t) => {
  const { core, port, server } = await startInbound(t, { tls: true })
  const sessions = fc.sample(fc.tuple(fc.array(fc.constantFrom(...WORDS), { maxLength: 15 }), fc.nat(2)), {
    numRuns: 400,
    seed: 5321,
  })
  for (const [words, ending] of sessions) {
    // Some clients do not wait for the greeting, which is refused.
    const client = words.length % 3 === 0 ? await SmtpClient.open(port) : await SmtpClient.connect(port)
    for (const word of words) client.write(Buffer.from(word, 'latin1'))
    if (ending === 0) client.reset()
    // A handshake that does not continue is ended by the clock, which does not advance here.
    else if (ending === 1 || words.includes('STARTTLS\r\n')) client.end()
    else {
      client.write('\r\n.\r\nRSET\r\nQUIT\r\nQUIT\r\n')
      await client.closed()
    }
  }
  const stored = core.messages.length
  const good = await SmtpClient.connect(port)
  await good.command('EHLO client.test')
  t.match(await good.send('x@out.test', ['alice@posthouse.test'], 'Subject: x\r\n\r\nbody'), '250')
  t.ok(stored > 0, 'control: some of them did send mail')
  t.equal(server.budget.used, 0)
  good.end()
})
