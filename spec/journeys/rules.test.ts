import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { createTransport } from 'nodemailer'
import t, { type Test } from 'tap'
import { systemClock } from '../../server/base/clock.ts'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import { listAccounts } from '../../storage/repos/accounts.ts'
import { eventsOf } from '../../storage/repos/events.ts'
import { openStore } from '../../storage/store.ts'
import { memoryBlobs } from '../support/memory-blobs.ts'
import { type RunningServer, startPosthouse, temporaryFolder } from '../support/posthouse.ts'

type Ready = RunningServer['ready']

t.test('rules move, star, tell webhooks and have a reply drafted; who is away answers', async (t) => {
  const data = temporaryFolder(t)
  const model = await startModel(t)
  const { ready, stop } = await startPosthouse(t, data, [`--model-url=${model.url}`, '--model-name=small'])
  const mailbox = `/mailboxes/${ready.mailbox.id}`
  // Events are written for webhooks that want them; nobody has to take them here.
  await rest(ready, 'POST', '/webhooks', { url: 'https://127.0.0.1:1027/', events: ['mailbox.rule_matched'] })
  const put = await rest(ready, 'PUT', `${mailbox}/rules`, {
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
  })
  await rest(ready, 'PATCH', `${mailbox}/auto-reply`, { enabled: true, body: 'Back in May.' })
  await send(ready, 'Invoice 7')
  await send(ready, 'Lunch')
  const messages = async (role: string) =>
    (await rest(ready, 'GET', `${mailbox}/inbox/messages?folder_role=${role}`)).data

  const [archived] = await messages('archive')
  t.match(archived, { subject: 'Invoice 7', keywords: { $flagged: true } })
  t.match(await messages('inbox'), [{ subject: 'Lunch', keywords: {} }])

  const [draft] = await until(ready, async () => {
    const drafts = await messages('drafts')
    return drafts.length > 0 ? drafts : undefined
  })
  t.match(draft, { subject: 'Re: Invoice 7', to: [{ email: 'ada@example.org' }], preview: 'It is paid.' })
  t.equal(model.asked.length, 1)

  const captured = await until(ready, async () => {
    const folder = join(data, 'captured')
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : []
    return files.length > 0 ? files : undefined
  })
  t.equal(captured.length, 1, 'one answer for two messages of a sender')
  t.match(readFileSync(join(data, 'captured', captured[0]!), 'latin1'), /^Auto-Submitted: auto-replied\r$/m)

  await stop()
  t.match(
    (await eventsKeptIn(t, data)).filter(({ type }) => type === 'mailbox.rule_matched').map(({ data }) => data),
    [{ rule_id: put.rules[0].id, action_index: 2, message: { id: archived.id, subject: 'Invoice 7' } }],
  )
})

async function rest({ http, api_key }: Ready, method: string, path: string, body?: object) {
  const answer = await fetch(`${http}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  return JSON.parse(await answer.text())
}

async function send({ smtp, mailbox }: Ready, subject: string): Promise<void> {
  const transport = createTransport({ host: smtp.host, port: smtp.port, tls: { rejectUnauthorized: false } })
  await transport.sendMail({ from: 'ada@example.org', to: mailbox.address, subject, text: 'As agreed.' })
  transport.close()
}

/** Asks again whenever the server says that something has changed, until there is an answer. */
async function until<T>({ http, api_key }: Ready, ask: () => Promise<T | undefined>): Promise<T> {
  const headers = { authorization: `Bearer ${api_key}` }
  const session = (await (await fetch(`${http}/.well-known/jmap`, { headers })).json()) as { eventSourceUrl: string }
  const url = session.eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'state').replace('{ping}', '0')
  for (;;) {
    const change = await fetch(url, { headers })
    const answer = await ask()
    if (answer === undefined) await change.text()
    else {
      await change.body?.cancel()
      return answer
    }
  }
}

/** A server as models stand behind, which always says the same. */
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
