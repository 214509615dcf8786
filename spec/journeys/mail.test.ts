import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { JamClient } from 'jmap-jam'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { createTransport } from 'nodemailer'
import { SMTPServer } from 'smtp-server'
import t, { type Test } from 'tap'
import { jmapCalls, restClient } from '../support/clients.ts'
import { type Ready, startPosthouse, temporaryFolder } from '../support/posthouse.ts'

const peer = await startRealServer(t)
const { ready } = await startPosthouse(t, temporaryFolder(t), [`--outbound=smtp://127.0.0.1:${peer.port}`])

t.test('a message sent in by curl is read back by a JMAP client', async (t) => {
  const file = join(temporaryFolder(t), 'message.eml')
  writeFileSync(
    file,
    'From: Ada <ada@example.org>\r\nTo: hello@example.test\r\nSubject: Plans\r\n\r\nLet us begin.\r\n',
  )
  const url = `smtp://${ready.smtp.host}:${ready.smtp.port}`
  await promisify(execFile)('curl', [
    '-sS',
    url,
    '--mail-from',
    'ada@example.org',
    '--mail-rcpt',
    ready.mailbox.address,
    '-T',
    file,
  ])
  const jam = new JamClient({ sessionUrl: `${ready.http}/.well-known/jmap`, bearerToken: ready.api_key })
  const accountId = ready.mailbox.id
  const [{ emails }] = await jam.requestMany((r) => {
    const found = r['Email']!['query']!({ accountId, filter: { text: 'begin' } })
    const ids = found.$ref('/ids')
    const emails = r['Email']!['get']!({ accountId, ids, properties: ['subject', 'from', 'preview'] })
    return { found, emails }
  })
  t.match(emails.list, [
    { subject: 'Plans', from: [{ name: 'Ada', email: 'ada@example.org' }], preview: 'Let us begin.' },
  ])
})

t.test('an attachment of 10 MB is returned unchanged', async (t) => {
  const content = randomBytes(10_000_000)
  const transport = createTransport({
    host: ready.smtp.host,
    port: ready.smtp.port,
    tls: { rejectUnauthorized: false },
  })
  await transport.sendMail({
    from: 'ada@example.org',
    to: ready.mailbox.address,
    subject: 'The big one',
    text: 'Attached.',
    attachments: [{ filename: 'random.bin', content }],
  })
  transport.close()
  const api = restClient(ready)
  const path = { mailbox_id: ready.mailbox.id }
  const { data } = await api.get('/v1/mailboxes/{mailbox_id}/inbox/messages', { path })
  const [attachment] = data[0]?.attachments ?? []
  if (!attachment) throw new Error('there is no attachment')
  t.match(attachment, { name: 'random.bin', size: content.length })
  const authorization = { authorization: `Bearer ${ready.api_key}` }

  t.test('through JMAP download', async (t) => {
    const url = `${ready.http}/jmap/download/${ready.mailbox.id}/${attachment.blob_id}/random.bin?type=application/octet-stream`
    const response = await fetch(url, { headers: authorization })
    t.equal(response.status, 200)
    t.equal(sha256(await response.arrayBuffer()), sha256(content))
  })

  t.test('through the REST attachment endpoint', async (t) => {
    const response = await api.download(attachment.download_path)
    t.equal(sha256(await response.arrayBuffer()), sha256(content))
  })

  t.test('in part, for a range request', async (t) => {
    const url = `${ready.http}/jmap/download/${ready.mailbox.id}/${attachment.blob_id}/random.bin?type=application/octet-stream`
    const response = await fetch(url, { headers: { ...authorization, range: 'bytes=5000000-5000999' } })
    t.equal(response.status, 206)
    t.equal(response.headers.get('content-range'), `bytes 5000000-5000999/${content.length}`)
    t.equal(sha256(await response.arrayBuffer()), sha256(content.subarray(5_000_000, 5_001_000)))
  })
})

t.test('a message sent by REST arrives at an SMTP server, signed so that the published key verifies it', async (t) => {
  const message = {
    from: ready.mailbox.address,
    to: 'ada@example.org',
    subject: 'Grüße',
    text: 'Hello Ada',
    html: '<p>Hello Ada</p>',
  }
  const sent = await restClient(ready).post('/v1/messages', { body: message })
  t.match(sent, { object: 'message', subject: 'Grüße' })
  const received = await peer.received
  const { results } = await dkimVerify(received.content, {
    resolver: async (name: string) => {
      const { recordName, recordValue } = await dkimRecord(ready)
      if (name !== recordName) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return [[recordValue]]
    },
  })
  t.match(results, [{ signingDomain: 'example.test', status: { result: 'pass' } }])
  t.match(received, { mailFrom: ready.mailbox.address, recipients: ['ada@example.org'] })
})

interface Received {
  readonly mailFrom: string
  readonly recipients: readonly string[]
  readonly content: Buffer
}

/** npm's smtp-server, on a free port; `received` is the first message it gets. */
async function startRealServer(t: Pick<Test, 'teardown'>): Promise<{ port: number; received: Promise<Received> }> {
  const { promise, resolve } = Promise.withResolvers<Received>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    async onData(stream, { envelope }, callback) {
      const content = await buffer(stream)
      const mailFrom = envelope.mailFrom ? envelope.mailFrom.address : ''
      resolve({ mailFrom, recipients: envelope.rcptTo.map(({ address }) => address), content })
      callback()
    },
  })
  server.on('error', () => {})
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => new Promise<void>((done) => server.close(done)))
  return { port: (listener.address() as AddressInfo).port, received: promise }
}

/** The record that the domain's owner has to publish. */
async function dkimRecord(ready: Ready): Promise<{ recordName: string; recordValue: string }> {
  const read = { accountId: ready.organization.id, ids: [ready.domain.id] }
  const [domains] = await jmapCalls(ready, [['Domain/get', read]])
  return domains.list[0].dkim
}

function sha256(bytes: ArrayBuffer | Uint8Array): string {
  return createHash('sha256').update(new Uint8Array(bytes)).digest('hex')
}
