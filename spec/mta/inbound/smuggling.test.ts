// Promise S1: one message stays one, whatever surrounds a dot.
import t, { type Test } from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const BREAKS = {
  CRLF: '\r\n',
  LF: '\n',
  CR: '\r',
  CRCRLF: '\r\r\n',
  LFCR: '\n\r',
  'CR NUL LF': '\r\0\n',
  'NUL LF': '\0\n',
}
const SECOND = [
  'MAIL FROM:<forged@out.test>',
  'RCPT TO:<bob@posthouse.test>',
  'DATA',
  'Subject: second',
  '',
  'smuggled',
  '.',
  'QUIT',
  '',
].join('\r\n')

type Writing = (octets: string) => string[]
const WRITINGS: { [name: string]: Writing } = {
  'in one packet': (octets) => [octets],
  'octet by octet': (octets) => [...octets],
  'split after the dot': (octets) => [octets.slice(0, octets.indexOf('.') + 1), octets.slice(octets.indexOf('.') + 1)],
  'split before the dot': (octets) => [octets.slice(0, octets.indexOf('.')), octets.slice(octets.indexOf('.'))],
}
// The longest end has seven octets; shorter ones are cut at their end.
for (let at = 1; at < 7; at++) {
  WRITINGS[`split after octet ${at}`] = (octets) => [octets.slice(0, at), octets.slice(at)]
}

async function attempt(t: Test, tls: boolean, end: string, write: Writing) {
  const { core, port } = await startInbound(t, { tls })
  const client = await SmtpClient.connect(port)
  if (tls) {
    await client.command('EHLO client.test')
    await client.startTls()
  }
  await client.commands(
    ['EHLO client.test', '250'],
    ['MAIL FROM:<x@out.test>', '250'],
    ['RCPT TO:<alice@posthouse.test>', '250'],
    ['DATA', '354'],
  )
  client.write('Subject: first\r\n\r\nbody')
  for (const piece of write(end)) client.write(Buffer.from(piece, 'latin1'))
  client.write(SECOND)
  await client.closed()
  return { core, log: client.log }
}

for (const tls of [false, true]) {
  for (const [how, write] of Object.entries(WRITINGS)) {
    t.test(`${tls ? 'TLS' : 'plain'}, ${how}: a second message comes only after CRLF.CRLF`, async (t) => {
      for (const [before, a] of Object.entries(BREAKS)) {
        for (const [after, b] of Object.entries(BREAKS)) {
          const { core, log } = await attempt(t, tls, `${a}.${b}`, write)
          const name = `${before} . ${after}`
          if (name === 'CRLF . CRLF') t.equal(core.messages.length, 2, `${name} ends the first message`)
          else {
            t.equal(core.messages.length, 0, `${name} stores nothing`)
            t.match(log, /^521 5\.5\.2 /m, `${name} is refused`)
          }
        }
      }
    })
  }
}

t.test('the end is found wherever the packets are split', async (t) => {
  const { core, port } = await startInbound(t)
  const text = 'Subject: x\r\n\r\n..a\r\nb\r\n.\r\n'
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  for (let cut = 1; cut < text.length; cut++) {
    await client.commands(['MAIL FROM:<>', '250'], ['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
    client.write(text.slice(0, cut))
    await new Promise(setImmediate)
    client.write(text.slice(cut))
    t.match(await client.reply(), '250', `cut at ${cut}`)
  }
  const bodies = core.messages.map(({ bytes }) => Buffer.from(bytes).toString().split('Subject: x')[1])
  t.same(new Set(bodies), new Set(['\r\n\r\n.a\r\nb\r\n']))
  client.end()
})

t.test('BDAT, whose end cannot be mistaken, is not offered', async (t) => {
  const { port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  t.notMatch(await client.command('EHLO client.test'), 'CHUNKING')
  t.match(await client.command('BDAT 5 LAST'), /^50[02]/)
  client.end()
})

t.test('an empty message ends at once', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO client.test', '250'], ['MAIL FROM:<>', '250'], ['RCPT TO:<alice@posthouse.test>', '250'])
  await client.commands(['DATA', '354'], ['.', '250'], ['NOOP', '250'])
  t.equal(core.messages.length, 1)
  client.end()
})

t.test('a whole session in one packet is answered command by command', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  const one = 'MAIL FROM:<>\r\nRCPT TO:<alice@posthouse.test>\r\nDATA\r\nSubject: x\r\n\r\nbody\r\n.\r\n'
  client.write(`EHLO client.test\r\n${one}${one}${one}QUIT\r\n`)
  await client.closed()
  t.equal(core.messages.length, 3)
  t.equal(client.log.match(/^250 2\.6\.0/gm)?.length, 3)
  t.match(client.log, /^221 /m)
})
