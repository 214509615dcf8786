// Promise S3: nothing sent in clear counts after TLS.
import t from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

t.test('commands in the same packet as STARTTLS are not run, before TLS or after', async (t) => {
  const { core, port } = await startInbound(t, { tls: true })
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  await client.startTls('MAIL FROM:<injected@out.test>\r\nRCPT TO:<alice@posthouse.test>\r\n')
  t.match(await client.command('RCPT TO:<alice@posthouse.test>'), '503')
  t.notMatch(client.log, 'Sender ok')
  await client.command('EHLO client.test')
  t.match(await client.send('x@out.test', ['alice@posthouse.test'], 'a: b\r\n\r\nc'), '250')
  t.same(
    core.messages.map(({ mailFrom }) => mailFrom),
    ['x@out.test'],
  )
  client.end()
})

t.test('a transaction that began in clear is discarded after TLS, and EHLO must be repeated', async (t) => {
  const { port } = await startInbound(t, { tls: true })
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO client.test', '250'], ['MAIL FROM:<>', '250'])
  await client.startTls()
  t.match(await client.command('MAIL FROM:<>'), '503')
  await client.command('EHLO client.test')
  t.match(await client.command('RCPT TO:<alice@posthouse.test>'), '503')
  t.match(await client.command('MAIL FROM:<>'), '250')
  client.end()
})

t.test('STARTTLS is offered once, and only with a certificate', async (t) => {
  const { port } = await startInbound(t, { tls: true })
  const client = await SmtpClient.connect(port)
  t.match(await client.command('EHLO client.test'), '250-STARTTLS')
  await client.startTls()
  t.notMatch(await client.command('EHLO client.test'), 'STARTTLS')
  client.end()
  const plain = await SmtpClient.connect((await startInbound(t)).port)
  t.notMatch(await plain.command('EHLO client.test'), 'STARTTLS')
  plain.end()
})

t.test('a failed handshake ends that connection only', async (t) => {
  const { port } = await startInbound(t, { tls: true })
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO client.test', '250'], ['STARTTLS', '220'])
  client.write('this is not a ClientHello, and long enough to be read as one\r\n')
  await client.closed()
  const other = await SmtpClient.connect(port)
  t.match(await other.command('NOOP'), '250')
  other.end()
})
