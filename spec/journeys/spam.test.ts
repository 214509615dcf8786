import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Schemas } from '../../rest/client/client.ts'
import { restClient, sendPlain } from '../support/clients.ts'
import { serve } from '../support/command-line.ts'
import { listenOnLoopback } from '../support/loopback-server.ts'
import { type Ready, temporaryFolder } from '../support/posthouse.ts'

const GTUBE = `XJS*C4JDBQADN1.NSBN3*2IDNEN*${'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL'}*C.34X`

t.test('spam goes to Junk, other mail to the inbox, and both say why', async (t) => {
  const { ready } = await serve(t, temporaryFolder(t))
  await sendPlain(ready, 'Please read', GTUBE)
  await sendPlain(ready, 'Lunch', 'Shall we meet at noon?')
  const folders = await foldersByRole(ready)
  const messages = await messagesIn(ready, [folders['junk']!, folders['inbox']!])
  t.match(messages.get('Please read'), {
    folder_ids: [folders['junk']],
    spam_verdict: { engine: 'posthouse', threshold: 6, symbols: [{ name: 'GTUBE' }] },
  })
  const lunch = messages.get('Lunch')
  t.match(lunch, { folder_ids: [folders['inbox']], delivery_trace: [{ by: 'spam' }] })
  t.ok(Number(lunch?.spam_verdict?.score) < 6)
})

t.test('where an Rspamd is named its score decides, and without an answer our own', async (t) => {
  const rspamd = await startRspamd(t)
  const { ready } = await serve(t, temporaryFolder(t), [`--rspamd=${rspamd.url}`])
  await sendPlain(ready, 'Bad', 'rspamd: 12')
  await sendPlain(ready, 'Good', `rspamd: 1 ${GTUBE}`)
  await sendPlain(ready, 'Own', `no answer ${GTUBE}`)
  const folders = await foldersByRole(ready)
  const messages = await messagesIn(ready, [folders['junk']!, folders['inbox']!])
  t.match(messages.get('Bad'), { folder_ids: [folders['junk']], spam_verdict: { engine: 'rspamd', score: 12 } })
  t.match(messages.get('Good'), { folder_ids: [folders['inbox']], spam_verdict: { engine: 'rspamd', score: 1 } })
  t.match(messages.get('Own'), { folder_ids: [folders['junk']], spam_verdict: { engine: 'posthouse' } })
})

async function foldersByRole(ready: Ready): Promise<Record<string, string>> {
  const path = { mailbox_id: ready.mailbox.id }
  const { data } = await restClient(ready).get('/v1/mailboxes/{mailbox_id}/folders', { path })
  return Object.fromEntries(data.map(({ role, id }) => [role, id]))
}

async function messagesIn(ready: Ready, folders: readonly string[]) {
  const path = { mailbox_id: ready.mailbox.id }
  const found = new Map<string, Schemas['InboxMessage']>()
  for (const folder_id of folders)
    for await (const message of restClient(ready).list('/v1/mailboxes/{mailbox_id}/inbox/messages', {
      path,
      query: { folder_id },
    }))
      found.set(message.subject, message)
  return found
}

/** Scores a message by its own text, and closes the connection for other text. */
async function startRspamd(t: Test): Promise<{ url: string }> {
  const server = createServer(async (request, response) => {
    const score = /rspamd: (\d+)/.exec(await text(request))?.[1]
    if (score === undefined) response.destroy()
    else response.end(JSON.stringify({ is_skipped: false, score: Number(score), symbols: {} }))
  })
  return { url: `http://127.0.0.1:${await listenOnLoopback(t, server)}` }
}
