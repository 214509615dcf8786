import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createTransport } from 'nodemailer'
import t, { type Test } from 'tap'
import { type RunningServer, startPosthouse, temporaryFolder } from '../support/posthouse.ts'

const GTUBE = `XJS*C4JDBQADN1.NSBN3*2IDNEN*${'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL'}*C.34X`

t.test('spam goes to Junk, other mail to the inbox, and both say why', async (t) => {
  const { ready } = await startPosthouse(t, temporaryFolder(t))
  await send(ready, 'Please read', GTUBE)
  await send(ready, 'Lunch', 'Shall we meet at noon?')
  const folders = await foldersByRole(ready)
  const messages = await messagesIn(ready, [folders['junk']!, folders['inbox']!])
  t.match(messages.get('Please read'), {
    folder_ids: [folders['junk']],
    spam_verdict: { engine: 'posthouse', threshold: 6, symbols: [{ name: 'GTUBE' }] },
  })
  const lunch = messages.get('Lunch')
  t.same(lunch.folder_ids, [folders['inbox']])
  t.ok(lunch.spam_verdict.score < 6)
  t.match(lunch.delivery_trace, [{ by: 'spam' }])
})

t.test('where an Rspamd is named its score decides, and without an answer our own', async (t) => {
  const rspamd = await startRspamd(t)
  const { ready } = await startPosthouse(t, temporaryFolder(t), [`--rspamd=${rspamd.url}`])
  await send(ready, 'Bad', 'rspamd: 12')
  await send(ready, 'Good', `rspamd: 1 ${GTUBE}`)
  await send(ready, 'Own', `no answer ${GTUBE}`)
  const folders = await foldersByRole(ready)
  const messages = await messagesIn(ready, [folders['junk']!, folders['inbox']!])
  t.match(messages.get('Bad'), { folder_ids: [folders['junk']], spam_verdict: { engine: 'rspamd', score: 12 } })
  t.match(messages.get('Good'), { folder_ids: [folders['inbox']], spam_verdict: { engine: 'rspamd', score: 1 } })
  t.match(messages.get('Own'), { folder_ids: [folders['junk']], spam_verdict: { engine: 'posthouse' } })
})

type Ready = RunningServer['ready']

async function send({ smtp, mailbox }: Ready, subject: string, words: string): Promise<void> {
  const transport = createTransport({ host: smtp.host, port: smtp.port, tls: { rejectUnauthorized: false } })
  await transport.sendMail({ from: 'ada@example.org', to: mailbox.address, subject, text: words })
  transport.close()
}

async function rest({ http, api_key }: Ready, path: string) {
  const answer = await fetch(`${http}/v1${path}`, { headers: { authorization: `Bearer ${api_key}` } })
  return JSON.parse(await answer.text())
}

async function foldersByRole(ready: Ready): Promise<Record<string, string>> {
  const { data } = await rest(ready, `/mailboxes/${ready.mailbox.id}/folders`)
  return Object.fromEntries((data as { role: string; id: string }[]).map(({ role, id }) => [role, id]))
}

async function messagesIn(ready: Ready, folders: readonly string[]) {
  const found = new Map<string, Awaited<ReturnType<typeof rest>>>()
  for (const folder of folders) {
    const { data } = await rest(ready, `/mailboxes/${ready.mailbox.id}/inbox/messages?folder_id=${folder}`)
    for (const message of data) found.set(message.subject, message)
  }
  return found
}

/** Scores a message as its own text says, and breaks off where that says nothing. */
async function startRspamd(t: Test): Promise<{ url: string }> {
  const server = createServer(async (request, response) => {
    const score = /rspamd: (\d+)/.exec(await text(request))?.[1]
    if (score === undefined) response.destroy()
    else response.end(JSON.stringify({ is_skipped: false, score: Number(score), symbols: {} }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
