import { once } from 'node:events'
import t from 'tap'
import { serve } from '../support/command-line.ts'
import { startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { SmtpClient } from '../support/smtp-client.ts'

t.test('on SIGTERM a message under way is accepted, and stored', async (t) => {
  const data = temporaryFolder(t)
  const server = await startPosthouse(t, data)
  const { smtp, mailbox } = server.ready
  const client = await SmtpClient.connect(smtp.port)
  await client.commands(
    ['EHLO example.org', '250'],
    ['MAIL FROM:<ada@example.org>', '250'],
    [`RCPT TO:<${mailbox.address}>`, '250'],
    ['DATA', '354'],
  )
  client.write('From: ada@example.org\r\nSubject: In the last moment\r\n\r\n')
  // The idle connection gets 421, which shows that the stop has begun.
  const idle = await SmtpClient.connect(smtp.port)
  server.child.kill('SIGTERM')
  t.match(await idle.reply(), /^421 /)
  client.write('Hello\r\n.\r\n')
  t.match(await client.reply(), /^250 /)
  const [code] = await once(server.child, 'exit')
  t.equal(code, 0)
  const again = await serve(t, data)
  const answer = await fetch(`${again.ready.http}/v1/mailboxes/${mailbox.id}/inbox/messages`, {
    headers: { Authorization: `Bearer ${again.ready.api_key}` },
  })
  t.match(await answer.json(), { data: [{ subject: 'In the last moment' }] })
})

t.test('a client with an open connection does not delay the stop', async (t) => {
  const server = await startPosthouse(t, temporaryFolder(t))
  await SmtpClient.connect(server.ready.smtp.port)
  const abort = new AbortController()
  t.teardown(() => abort.abort())
  const { mailbox, http } = server.ready
  const login = `Basic ${Buffer.from(`${mailbox.address}:${mailbox.password}`).toString('base64')}`
  await fetch(`${http}/jmap/eventsource?types=*&closeafter=no&ping=0`, {
    headers: { Authorization: login },
    signal: abort.signal,
  })
  t.equal(await server.stop(), 0)
})
