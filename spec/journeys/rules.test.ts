import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { systemClock } from '../../server/base/clock.ts'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import { listAccounts } from '../../storage/repos/accounts.ts'
import { eventsOf } from '../../storage/repos/events.ts'
import { openStore } from '../../storage/store.ts'
import { restClient, sendPlain, untilAnswered } from '../support/clients.ts'
import { serve } from '../support/command-line.ts'
import { memoryBlobs } from '../support/memory-blobs.ts'
import { temporaryFolder } from '../support/posthouse.ts'

t.test('rules move, star, notify webhooks and request drafts; an absent user replies automatically', async (t) => {
  const data = temporaryFolder(t)
  const model = await startModel(t)
  const { ready, stop } = await serve(t, data, [`--model-url=${model.url}`, '--model-name=small'])
  const api = restClient(ready)
  const path = { mailbox_id: ready.mailbox.id }
  // Events are written for webhooks that subscribe to them. The deliveries need no receiver here.
  const events = ['mailbox.rule_matched'] as const
  await api.post('/v1/webhooks', { body: { url: 'https://127.0.0.1:1027/', events } })
  const put = await api.put('/v1/mailboxes/{mailbox_id}/rules', {
    path,
    body: {
      rules: [
        {
          name: 'Invoices',
          conditions: [{ type: 'subject_starts_with', value: 'invoice' }],
          actions: [
            { type: 'move', target: { kind: 'system', role: 'archive' } },
            { type: 'star' },
            { type: 'send_webhook' },
            { type: 'ai_draft_reply', reply_mode: 'reply', instructions: 'Say that it is paid.' },
          ],
        },
      ],
    },
  })
  await api.patch('/v1/mailboxes/{mailbox_id}/auto-reply', { path, body: { enabled: true, body: 'Back in May.' } })
  await sendPlain(ready, 'Invoice 7', 'As agreed.')
  await sendPlain(ready, 'Lunch', 'As agreed.')
  const messages = async (folder_role: 'archive' | 'inbox' | 'drafts') =>
    (await api.get('/v1/mailboxes/{mailbox_id}/inbox/messages', { path, query: { folder_role } })).data

  const [archived] = await messages('archive')
  t.match(archived, { subject: 'Invoice 7', keywords: { $flagged: true } })
  t.match(await messages('inbox'), [{ subject: 'Lunch', keywords: {} }])

  const [draft] = await untilAnswered(ready, async () => {
    const drafts = await messages('drafts')
    return drafts.length > 0 ? drafts : undefined
  })
  t.match(draft, { subject: 'Re: Invoice 7', to: [{ email: 'ada@example.org' }], preview: 'It is paid.' })
  t.equal(model.asked.length, 1)

  const captured = await untilAnswered(ready, async () => {
    const folder = join(data, 'captured')
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : []
    return files.length > 0 ? files : undefined
  })
  t.equal(captured.length, 1, 'one answer for two messages of a sender')
  t.match(readFileSync(join(data, 'captured', captured[0]!), 'latin1'), /^Auto-Submitted: auto-replied\r$/m)

  await stop()
  t.match(
    (await eventsKeptIn(t, data)).filter(({ type }) => type === 'mailbox.rule_matched').map(({ data }) => data),
    [{ rule_id: put.rules[0]?.id, action_index: 2, message: { id: archived?.id, subject: 'Invoice 7' } }],
  )
})

/** A model server that always gives the same answer. */
async function startModel(t: Test) {
  const asked: unknown[] = []
  const server = createServer(async (request, response) => {
    asked.push(await json(request))
    response.end(JSON.stringify({ choices: [{ message: { content: 'It is paid.' } }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

async function eventsKeptIn(t: Test, data: string) {
  const file = join(data, 'posthouse.db')
  const store = await openStore({ dialect: openSqlite({ file }), blobs: memoryBlobs(), clock: systemClock })
  t.teardown(() => store.close())
  return store.read(async (reader) => {
    const [organization] = await listAccounts(reader, { kind: 'organization' })
    return eventsOf(reader, organization!.id)
  })
}
