// The PROXY protocol, versions 1 and 2: only a trusted balancer can set the client's address.
import t from 'tap'
import { readProxyHeader } from '../../../mta/smtp/proxy-header.ts'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

function binary(command: number, family: number, data: number[], declared = data.length): Buffer {
  return Buffer.concat([SIGNATURE, Buffer.from([0x20 | command, family, declared >> 8, declared & 255, ...data])])
}

const V4 = [192, 0, 2, 7, 10, 0, 0, 1, 0x30, 0x39, 0, 25]
const V6 = [...Buffer.from('20010db8000000000000000000000007', 'hex'), ...Array<number>(16).fill(0), 0x30, 0x39, 0, 25]

const READ: { [name: string]: [header: Buffer, address: string | null] } = {
  'version 1, IPv4': [Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 12345 25\r\n'), '192.0.2.7'],
  'version 1, IPv6': [Buffer.from('PROXY TCP6 2001:db8::7 ::1 12345 25\r\n'), '2001:db8::7'],
  'version 1, unknown': [Buffer.from('PROXY UNKNOWN\r\n'), null],
  'version 1, unknown with words': [Buffer.from('PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n'), null],
  'version 2, IPv4': [binary(1, 0x11, V4), '192.0.2.7'],
  'version 2, IPv4 with more': [binary(1, 0x11, [...V4, 4, 0, 1, 9]), '192.0.2.7'],
  'version 2, IPv6': [binary(1, 0x21, V6), '2001:db8:0:0:0:0:0:7'],
  'version 2, the balancer itself': [binary(0, 0, []), null],
  'version 2, a unix socket': [binary(1, 0x31, Array<number>(216).fill(0)), null],
}

const MALFORMED: { [name: string]: Buffer } = {
  'no header': Buffer.from('EHLO client.test\r\n'),
  'lower case': Buffer.from('proxy TCP4 192.0.2.7 10.0.0.1 12345 25\r\n'),
  'an address of the other family': Buffer.from('PROXY TCP4 2001:db8::7 ::1 12345 25\r\n'),
  'an address that is none': Buffer.from('PROXY TCP4 192.0.2.777 10.0.0.1 12345 25\r\n'),
  'a port that is none': Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 123456 25\r\n'),
  'a word too many': Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 12345 25 x\r\n'),
  'a line without end': Buffer.from(`PROXY UNKNOWN ${'x'.repeat(200)}`),
  'another version': Buffer.concat([SIGNATURE, Buffer.from([0x31, 0x11, 0, 12, ...V4])]),
  'another command': binary(2, 0x11, V4),
  'too short for its family': binary(1, 0x11, V4.slice(0, 8)),
  'far too long': binary(1, 0x11, V4, 60_000),
}

for (const [name, [header, address]] of Object.entries(READ)) {
  t.test(`${name}: read, wherever it is split`, async (t) => {
    const whole = Buffer.concat([header, Buffer.from('EHLO')])
    const read = readProxyHeader(whole)
    t.match(read, { status: 'read', length: header.length })
    t.equal(read.status === 'read' ? (read.source?.address ?? null) : undefined, address)
    for (let cut = 0; cut < header.length; cut++)
      if (readProxyHeader(header.subarray(0, cut)).status !== 'incomplete') t.fail(`cut at ${cut}`)
  })
}

for (const [name, header] of Object.entries(MALFORMED)) {
  t.test(`${name}: malformed`, async (t) => {
    t.same(readProxyHeader(header), { status: 'malformed' })
  })
}

t.test("a trusted balancer gives the client's address", async (t) => {
  const { core, port } = await startInbound(t, { balanced: true })
  for (const [header, address] of Object.values(READ)) {
    const client = await SmtpClient.open(port)
    client.write(header)
    t.match(await client.reply(), '220')
    t.match(await client.command('EHLO client.test'), '250')
    t.match(await client.send('', ['alice@posthouse.test'], 'a: b\r\n\r\nc'), '250')
    const { verdict, bytes } = core.messages.at(-1)!
    const shown = address?.replace('2001:db8:0:0:0:0:0:7', '2001:db8::7') ?? '127.0.0.1'
    t.equal(verdict?.client?.address.replace('2001:db8:0:0:0:0:0:7', '2001:db8::7'), shown)
    t.ok(/^Received: from client\.test \(\[.*\]\)/m.test(Buffer.from(bytes).toString()))
    client.end()
  }
})

t.test('octets after the header in the same packet count as a client that talks too early', async (t) => {
  const { port } = await startInbound(t, { balanced: true })
  const client = await SmtpClient.open(port)
  client.write('PROXY TCP4 192.0.2.7 10.0.0.1 12345 25\r\nEHLO client.test\r\n')
  t.match(await client.reply(), /^421 .*too soon/)
  await client.closed()
})

t.test('a balancer with an invalid header is disconnected, and others are served', async (t) => {
  const { port } = await startInbound(t, { balanced: true })
  for (const header of Object.values(MALFORMED)) {
    const client = await SmtpClient.open(port)
    client.write(header)
    await client.closed()
    t.equal(client.log, '')
  }
  const gone = await SmtpClient.open(port)
  gone.write('PROXY TC')
  gone.reset()
  const slow = await SmtpClient.open(port)
  slow.write('PROXY TCP4 192.0')
  const good = await SmtpClient.open(port)
  good.write('PROXY UNKNOWN\r\n')
  t.match(await good.reply(), '220')
  good.end()
  slow.end()
})

t.test('a balancer whose header does not end is disconnected', async (t) => {
  const { port, clock } = await startInbound(t, { balanced: true })
  const slow = await SmtpClient.open(port)
  slow.write('PROXY TCP4 192.0')
  const other = await SmtpClient.open(port)
  other.write('PROXY UNKNOWN\r\n')
  await other.reply()
  clock.advance(11_000)
  await slow.closed()
  t.match(await other.command('NOOP'), '250')
  other.end()
})

t.test('from other peers the header is an invalid command', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  t.match(await client.command('PROXY TCP4 192.0.2.7 10.0.0.1 12345 25'), /^50[02]/)
  await client.command('EHLO client.test')
  await client.send('', ['alice@posthouse.test'], 'a: b\r\n\r\nc')
  t.equal(core.messages[0]?.verdict?.client?.address, '127.0.0.1')
  client.end()
})
