import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ApiError, type ClientOptions, createClient } from '../../rest/client/client.ts'
import { matchWhole } from '../support/match-whole.ts'
import { mail, startApi } from '../support/rest-api.ts'

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (error instanceof ApiError) return error
  throw new Error('not refused', { cause: error })
}

t.test('the types of the client are generated from the endpoints', async (t) => {
  const script = fileURLToPath(new URL('../../scripts/build-openapi.ts', import.meta.url))
  const run = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  t.equal(run.status, 0, run.stderr)
})

t.test('the client against a real API', async (t) => {
  const { server, key, mailbox, domainId } = await startApi(t)
  const alice = await mailbox('alice')
  const scopes = ['domains:read', 'mailboxes:read', 'mailboxes:write', 'messages:read', 'messages:write'] as const
  const api = createClient({ baseUrl: `${server.url}/api/`, key: await key(scopes) })

  t.test('calls are typed by their paths and return the answer of the endpoint', async (t) => {
    const domain = await api.get('/v1/domains/{domain_id}', { path: { domain_id: domainId } })
    t.equal(domain.name, 'example.test')
    const changed = await api.patch('/v1/mailboxes/{mailbox_id}', {
      path: { mailbox_id: alice.accountId },
      body: { display_name: 'Alice' },
    })
    t.equal(changed.display_name, 'Alice')
    const rules = {
      rules: [{ name: 'All', conditions: [{ type: 'all_messages', value: true }], actions: [] }],
    } as const
    const refused = api.put('/v1/mailboxes/{mailbox_id}/rules', { path: { mailbox_id: alice.accountId }, body: rules })
    t.match(await refusal(refused), { status: 422, details: [{ field: 'rules[0].actions', code: 'too_short' }] })
  })

  t.test('a deletion returns undefined', async (t) => {
    const { id } = await api.post('/v1/aliases', {
      body: { domain_id: domainId, address: 'sales', mailbox_id: alice.accountId },
    })
    t.equal(await api.delete('/v1/aliases/{alias_id}', { path: { alias_id: id } }), undefined)
  })

  t.test('a refusal is an error with the members of the envelope', async (t) => {
    const error = await refusal(api.get('/v1/aliases/{alias_id}', { path: { alias_id: 'als_none' } }))
    matchWhole(t, error, {
      status: 404,
      type: 'not_found',
      code: 'not_found',
      message: 'There is no such alias.',
      details: [],
    })
    t.match(error.requestId, /^req_/)
    const threads = api.get('/v1/threads', { query: { mailbox_id: alice.accountId } })
    t.match(await refusal(threads), { status: 403, code: 'missing_scope' })
  })

  t.test('a list reads all its pages, by cursor and by position', async (t) => {
    for (const address of ['one', 'two', 'three'])
      await api.post('/v1/aliases', { body: { domain_id: domainId, address, mailbox_id: alice.accountId } })
    const aliases = await Array.fromAsync(api.list('/v1/aliases', { query: { limit: 2 } }))
    t.same(
      aliases.map(({ address }) => address.split('@')[0]),
      ['three', 'two', 'one'],
    )
    for (const subject of ['1', '2', '3']) await alice.receive(mail({ Subject: subject }))
    const path = { mailbox_id: alice.accountId }
    const messages = api.list('/v1/mailboxes/{mailbox_id}/inbox/messages', { path, query: { limit: 2 } })
    t.same((await Array.fromAsync(messages)).map(({ subject }) => subject).sort(), ['1', '2', '3'])
  })

  t.test('a file is downloaded from the download_path of a message', async (t) => {
    const id = await alice.receive(mail({ 'Content-Disposition': 'attachment; filename=a.txt' }, 'In the file.'))
    const path = { mailbox_id: alice.accountId, message_id: id }
    const { attachments } = await api.get('/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}', { path })
    const response = await api.download(attachments[0]!.download_path)
    t.equal(await response.text(), 'In the file.\r\n')
  })

  t.test('the same idempotency key gives the same answer', async (t) => {
    const body = { domain_id: domainId, address: 'once', mailbox_id: alice.accountId }
    const make = () => api.post('/v1/aliases', { body, idempotencyKey: 'once' })
    t.equal((await make()).id, (await make()).id)
  })
})

/** A server with a list of answers, which records its requests. */
function scripted(answers: readonly Response[], more: Partial<ClientOptions> = {}) {
  const asked: Request[] = []
  const waited: number[] = []
  const api = createClient({
    baseUrl: 'https://mail.example.com/api',
    key: 'sk_1',
    fetch: async (input, init) => {
      asked.push(new Request(input as string, init as RequestInit))
      return answers[asked.length - 1]!
    },
    wait: async (ms) => void waited.push(ms),
    ...more,
  })
  return { api, asked, waited }
}

const alias = () => Response.json({ object: 'alias' }, { status: 201 })
const error = (status: number, retryAfter?: string) =>
  Response.json(
    { error: { type: 'rate_limit_exceeded', message: 'Too many requests.', request_id: 'req_1' } },
    { status, ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }) },
  )
const body = { domain_id: 'd', address: 'a', mailbox_id: 'm' }

t.test('a request is repeated when the server asks for it, with the same idempotency key', async (t) => {
  const { api, asked, waited } = scripted([error(429, '2'), error(503, '1'), error(409, '1'), alias()])
  t.match(await api.post('/v1/aliases', { body }), { object: 'alias' })
  t.same(waited, [2000, 1000, 1000])
  const keys = asked.map(({ headers }) => headers.get('idempotency-key'))
  t.match(keys[0], /^[0-9a-f-]{36}$/)
  t.equal(new Set(keys).size, 1)
  t.equal(asked[3]!.headers.get('authorization'), 'Bearer sk_1')
  t.equal(asked[3]!.url, 'https://mail.example.com/api/v1/aliases')
  const other = scripted([alias()])
  await other.api.post('/v1/aliases', { body })
  t.not(other.asked[0]!.headers.get('idempotency-key'), keys[0], 'another call has another key')
})

t.test('other errors are not repeated', async (t) => {
  const once: [string, Response, object][] = [
    ['a failure', error(500, '1'), { status: 500 }],
    ['a conflict', error(409), { status: 409 }],
    ['a limit without a time', error(429), { status: 429, retryAfter: null }],
    ['a time that is too long', error(429, '3600'), { status: 429, retryAfter: 3600 }],
  ]
  for (const [name, answer, expected] of once) {
    const { api, asked } = scripted([answer, alias()])
    t.match(await refusal(api.post('/v1/aliases', { body })), expected, name)
    t.equal(asked.length, 1, name)
  }
  const { api, asked } = scripted(Array.from({ length: 9 }, () => error(429, '1')))
  t.match(await refusal(api.get('/v1/domains')), { status: 429 })
  t.equal(asked.length, 4, 'three repetitions')
})

t.test('an answer that is not of the API is an error', async (t) => {
  const { api } = scripted([new Response('<h1>Bad Gateway</h1>', { status: 502 })])
  t.match(await refusal(api.get('/v1/domains')), { status: 502, type: null, message: 'The server answered 502.' })
})

t.test('values in a path or a query are escaped, and undefined ones are left out', async (t) => {
  const { api, asked } = scripted([Response.json({}), Response.json({})])
  await api.get('/v1/suppressions/{email}', { path: { email: 'a/b?c@example.org' } })
  t.equal(asked[0]!.url, 'https://mail.example.com/api/v1/suppressions/a%2Fb%3Fc%40example.org')
  await api.get('/v1/suppressions', { query: { limit: 2 } })
  t.equal(asked[1]!.url, 'https://mail.example.com/api/v1/suppressions?limit=2')
})
