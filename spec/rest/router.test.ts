import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { endpoint } from '../../rest/endpoint.ts'
import { ApiError } from '../../rest/errors/api-error.ts'
import { createRouter, UNDECLARED } from '../../rest/pipeline/router.ts'
import { object, optional, string } from '../../rest/schema/schema.ts'
import { Failure } from '../../server/base/errors.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { ANSWER_MAX_BYTES, UNSENT_MAX_BYTES } from '../../server/base/reading-limits.ts'
import { UnsentAnswers } from '../../server/base/unsent-answers.ts'
import { OWNER, ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

const Thing = object({ name: string() })
const base = { tag: TAG, summary: 'A thing', tier: 'read', status: 200, errors: [] } as const

const readThing = endpoint({
  ...base,
  method: 'GET',
  path: '/v1/things/{thing_id}',
  operationId: 'readThing',
  scope: 'domains:read',
  response: Thing,
  run: async ({ params }) => ({ name: params.thing_id }),
})

const makeThing = endpoint({
  ...base,
  method: 'POST',
  path: '/v1/things',
  operationId: 'makeThing',
  scope: 'domains:write',
  body: object({ name: string(), note: optional(string()) }),
  bodyLimit: 100,
  response: Thing,
  errors: ['domain_exists'],
  run: async ({ body }) => {
    if (body.name === 'taken') throw new ApiError('domain_exists')
    if (body.name === 'broken') throw new Error('secret words of the inside')
    if (body.name === 'full') throw new Failure('storageFull', 'disk full')
    if (body.name === 'undeclared') throw new ApiError('folder_in_use')
    return { name: body.name, ...(body.name === 'odd' && { more: 1 }) }
  },
})

const open = endpoint({
  ...base,
  method: 'GET',
  path: '/v1/open',
  operationId: 'open',
  scope: null,
  response: Thing,
  run: async () => ({ name: 'open' }),
})

const LARGE = 'x'.repeat(16_000_000)
const readLarge = endpoint({
  ...base,
  method: 'GET',
  path: '/v1/large',
  operationId: 'readLarge',
  scope: 'domains:read',
  response: Thing,
  run: async () => ({ name: LARGE }),
})

async function start(t: Test, over: Parameters<typeof testDeps>[1] = {}) {
  const core = new ScriptedCore()
  core.keys.set('sk_reader', { ...OWNER, scopes: ['domains:read'], credential: 'key-2' })
  const server = await startRest(createRouter([readThing, makeThing, open, readLarge], testDeps(core, over)))
  t.teardown(() => server.close())
  return server
}

t.test('paths with and without the prefix are answered, and other paths pass on', async (t) => {
  const server = await start(t)
  t.match(await server.ask('GET', '/api/v1/things/a%20b'), { status: 200, body: { name: 'a b' } })
  t.match(await server.ask('GET', '/v1/things/a'), { status: 200, body: { name: 'a' } })
  t.equal((await server.ask('GET', '/jmap')).status, 418)
  t.equal((await server.ask('GET', '/apitude')).status, 418)
})

t.test('an answer is JSON with a request id, and no cache keeps it', async (t) => {
  const { headers } = await (await start(t)).ask('GET', '/v1/things/a')
  t.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  t.match(headers.get('x-request-id'), /^req_[a-z2-7]{20}$/)
})

t.test('an error has the envelope, with the request id of the header', async (t) => {
  const { status, body, headers } = await (await start(t)).ask('POST', '/v1/things', { body: { name: 'taken' } })
  t.equal(status, 409)
  t.same(body, {
    error: {
      type: 'conflict',
      code: 'domain_exists',
      message: 'The organization has this domain already.',
      request_id: headers.get('x-request-id'),
    },
  })
})

t.test('the checks are in the order 401, 429, 404 and 405, 403, 413 and 415, 422', async (t) => {
  const server = await start(t, { config: { rates: { read: 0, write: 12, send: 0, verification: 0, failedAuth: 0 } } })
  const bad = { raw: 'not JSON' }
  t.equal((await server.ask('DELETE', '/v1/nothing', { key: null, ...bad })).status, 401)
  t.equal((await server.ask('DELETE', '/v1/things', { key: null })).status, 401)
  t.equal((await server.ask('DELETE', '/v1/nothing', { key: 'sk_reader', ...bad })).status, 404)
  t.equal((await server.ask('DELETE', '/v1/things', { key: 'sk_reader', ...bad })).status, 405)
  t.equal((await server.ask('POST', '/v1/things', { key: 'sk_reader', ...bad })).status, 403)
  t.equal((await server.ask('POST', '/v1/things', bad)).status, 415)
  const json = { 'Content-Type': 'application/json' }
  t.equal((await server.ask('POST', '/v1/things', { raw: 'x'.repeat(101), headers: json })).status, 413)
  t.equal((await server.ask('POST', '/v1/things', { raw: 'x', headers: json })).status, 422)
  for (let i = 0; i < 10; i++) await server.ask('DELETE', '/v1/nothing', { key: 'sk_reader' })
  t.equal((await server.ask('DELETE', '/v1/nothing', { key: 'sk_reader' })).status, 429)
})

t.test('a missing key and a wrong one have different errors', async (t) => {
  const server = await start(t)
  const missing = await server.ask('GET', '/v1/things/a', { key: null })
  t.match(missing, { status: 401, body: { error: { type: 'authentication_error', code: 'missing_api_key' } } })
  t.equal(missing.headers.get('www-authenticate'), 'Bearer')
  const wrong = await server.ask('GET', '/v1/things/a', { key: 'sk_wrong' })
  t.match(wrong, { status: 401, body: { error: { code: 'invalid_api_key' } } })
  const basic = await server.ask('GET', '/v1/things/a', { key: null, headers: { Authorization: 'Basic c2tfb3duZXI6' } })
  t.match(basic, { status: 401, body: { error: { code: 'missing_api_key' } } })
})

t.test('a public endpoint answers without a key and with a wrong one', async (t) => {
  const server = await start(t)
  t.equal((await server.ask('GET', '/v1/open', { key: null })).status, 200)
  t.equal((await server.ask('GET', '/v1/open', { key: 'sk_wrong' })).status, 200)
  t.match(await server.ask('POST', '/v1/open', { key: null }), { status: 405 })
})

t.test('the error about a missing scope names it', async (t) => {
  const answer = await (await start(t)).ask('POST', '/v1/things', { key: 'sk_reader', body: { name: 'a' } })
  t.match(answer, { status: 403, body: { error: { type: 'authorization_error', code: 'missing_scope' } } })
  t.match(answer.body.error.message, /domains:write/)
})

t.test('write does not imply read', async (t) => {
  const core = new ScriptedCore()
  core.keys.set('sk_writer', { ...OWNER, scopes: ['domains:write'] })
  const server = await startRest(createRouter([readThing, makeThing], testDeps(core)), 'sk_writer')
  t.teardown(() => server.close())
  t.equal((await server.ask('GET', '/v1/things/a')).status, 403)
  t.equal((await server.ask('POST', '/v1/things', { body: { name: 'a' } })).status, 200)
})

t.test('an unknown path, a trailing slash, another case and broken percent-encoding are 404', async (t) => {
  const server = await start(t)
  for (const path of [
    '/v1/none',
    '/v1/things/a/',
    '/v1/Things/a',
    '/api/none',
    '/api',
    '/v1/things/%zz',
    '/v1/things//',
  ]) {
    t.match(await server.ask('GET', path), { status: 404, body: { error: { type: 'not_found' } } }, path)
  }
})

t.test('the error about a method lists the methods of the path', async (t) => {
  const answer = await (await start(t)).ask('PUT', '/v1/things/a')
  t.match(answer, { status: 405, body: { error: { type: 'method_not_allowed' } } })
  t.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS')
})

t.test('HEAD is answered like GET, without the body', async (t) => {
  const server = await start(t)
  const [head, got] = [await server.ask('HEAD', '/v1/things/a'), await server.ask('GET', '/v1/things/a')]
  t.equal(head.status, 200)
  t.equal(head.text, '')
  t.equal(head.headers.get('content-length'), got.headers.get('content-length'))
})

t.test('a preflight needs no key and names the methods of the path', async (t) => {
  const server = await start(t)
  const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' }
  const answer = await server.ask('OPTIONS', '/v1/things', { key: null, headers })
  t.equal(answer.status, 204)
  t.equal(answer.headers.get('access-control-allow-methods'), 'POST, OPTIONS')
  t.match(answer.headers.get('access-control-allow-headers'), /Authorization.*Idempotency-Key/)
  t.equal(answer.headers.get('access-control-allow-origin'), '*')
  t.equal((await server.ask('OPTIONS', '/v1/none', { key: null })).status, 404)
})

t.test('when origins are configured, others are refused', async (t) => {
  const server = await start(t, { config: { corsOrigins: ['https://app.example'] } })
  const from = async (origin: string) => (await server.ask('GET', '/v1/open', { headers: { Origin: origin } })).headers
  t.equal((await from('https://app.example')).get('access-control-allow-origin'), 'https://app.example')
  t.equal((await from('https://evil.example')).get('access-control-allow-origin'), null)
  t.equal((await from('https://app.example')).get('vary'), 'Origin')
})

t.test('a browser may read the documented header fields', async (t) => {
  const { headers } = await (await start(t)).ask('GET', '/v1/open')
  t.match(headers.get('access-control-expose-headers'), /RateLimit-Remaining.*X-Request-Id/)
})

t.test('an internal failure is a 500 without internal text, and is logged', async (t) => {
  const logged: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => logged.push(fields), child: () => log }
  const server = await start(t, { logger: log })
  const answer = await server.ask('POST', '/v1/things', { body: { name: 'broken' } })
  t.match(answer, { status: 500, body: { error: { type: 'internal_error' } } })
  t.notMatch(answer.text, /secret/)
  t.match(logged, [{ request_id: answer.body.error.request_id, err: { message: /secret words/ } }])
})

t.test('a client that goes halfway through its body is no failure in the log', async (t) => {
  const logged: object[] = []
  const server = await start(t, { logger: { ...silentLogger, error: (fields: object) => logged.push(fields) } })
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const head = [
    'POST /v1/things HTTP/1.1',
    'Host: x',
    'Authorization: Bearer sk_owner',
    'Content-Type: application/json',
  ]
  socket.write(`${head.join('\r\n')}\r\nContent-Length: 50\r\n\r\n{"name":`)
  await server.ask('GET', '/v1/things/a')
  socket.resetAndDestroy()
  await once(socket, 'close')
  await server.ask('GET', '/v1/things/a')
  t.same(logged, [])
  await server.ask('POST', '/v1/things', { body: { name: 'broken' } })
  t.equal(logged.length, 1, 'control')
})

t.test('a full storage is a 503 with Retry-After', async (t) => {
  const answer = await (await start(t)).ask('POST', '/v1/things', { body: { name: 'full' } })
  t.match(answer, { status: 503, body: { error: { type: 'service_unavailable' } } })
  t.match(answer.headers.get('retry-after'), /^\d+$/)
})

t.test('an undeclared answer or error reaches the client, and is logged when answers are checked', async (t) => {
  for (const checkAnswers of [true, false]) {
    const logged: object[] = []
    const error = (fields: object, message: string) => message === UNDECLARED && logged.push(fields)
    const server = await start(t, { config: { checkAnswers }, logger: { ...silentLogger, error } })
    t.equal((await server.ask('POST', '/v1/things', { body: { name: 'plain' } })).status, 200)
    t.same(logged, [], 'control: a declared answer')
    t.equal((await server.ask('POST', '/v1/things', { body: { name: 'odd' } })).status, 200)
    t.equal((await server.ask('POST', '/v1/things', { body: { name: 'undeclared' } })).status, 409)
    t.match(logged, checkAnswers ? [{ fault: /makeThing answers/ }, { fault: /does not declare folder_in_use/ }] : [])
    t.equal(logged.length, checkAnswers ? 2 : 0)
  }
})

t.test('a body that is too large is refused with and without Content-Length', async (t) => {
  const server = await start(t)
  const headers = { 'Content-Type': 'application/json' }
  const large = JSON.stringify({ name: 'x'.repeat(200_000) })
  t.match(await server.ask('POST', '/v1/things', { raw: large, headers }), {
    status: 413,
    body: { error: { type: 'payload_too_large' } },
  })
  const stream = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(large))
      controller.close()
    },
  })
  const init = {
    method: 'POST',
    headers: { ...headers, Authorization: 'Bearer sk_owner' },
    body: stream,
    duplex: 'half',
  }
  t.equal((await fetch(`${server.url}/v1/things`, init as RequestInit)).status, 413)
})

t.test(
  'bodies beyond the limit of received octets are 503 with Retry-After, and accepted when there is room',
  async (t) => {
    const server = await start(t, { config: { maxReceivingBytes: 60 } })
    const text = JSON.stringify({ name: 'x'.repeat(40) })
    const ask = () => server.ask('POST', '/v1/things', { raw: text, headers: { 'Content-Type': 'application/json' } })
    t.equal((await ask()).status, 200, 'control: one alone')
    const headers = {
      authorization: 'Bearer sk_owner',
      'content-type': 'application/json',
      'content-length': text.length,
    }
    const slow = request(`${server.url}/v1/things`, { method: 'POST', headers })
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>
    slow.write(text.slice(0, 30))
    let answer = await ask()
    // Until the first octets of the slow one have arrived.
    for (let tries = 0; answer.status === 200 && tries < 1_000; tries++) answer = await ask()
    t.match(answer, { status: 503, body: { error: { type: 'service_unavailable', code: 'service_unavailable' } } })
    t.match(answer.headers.get('retry-after'), /^\d+$/)
    slow.end(text.slice(30))
    const [response] = await answered
    response.resume()
    t.equal(response.statusCode, 200, 'what is being received goes on')
    t.equal((await ask()).status, 200)
  },
)

t.test('only JSON in UTF-8 is accepted, and a body without a type is read as JSON', async (t) => {
  const server = await start(t)
  const raw = JSON.stringify({ name: 'ü' })
  const send = async (type: string | null, more = {}) => {
    const headers = { ...(type !== null && { 'Content-Type': type }), ...more }
    return (await server.ask('POST', '/v1/things', { raw: new TextEncoder().encode(raw), headers })).status
  }
  for (const type of [null, 'application/json', 'application/json; charset="UTF-8"', 'application/vnd.api+json']) {
    t.equal(await send(type), 200, String(type))
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16']) {
    t.equal(await send(type), 415, type)
  }
  t.equal(await send('application/json', { 'Content-Encoding': 'gzip' }), 415)
})

t.test('the calls run without the scopes of the key', async (t) => {
  const core = new ScriptedCore()
  core.keys.set('sk_reader', { ...OWNER, scopes: ['domains:read'] })
  core.methods.set('Domain/get', () => ({ list: [], notFound: [], state: '0' }))
  const readDomains = endpoint({
    ...base,
    method: 'GET',
    path: '/v1/count',
    operationId: 'count',
    scope: 'domains:read',
    response: Thing,
    calls: ({ organization }) => ({ all: { method: 'Domain/get', args: { accountId: organization } } }),
    reply: ({ all }) => ({ name: JSON.stringify(all) }),
  })
  const server = await startRest(createRouter([readDomains], testDeps(core)), 'sk_reader')
  t.teardown(() => server.close())
  t.equal((await server.ask('GET', '/v1/count')).status, 200)
  t.match(core.principals, [{ scopes: null, organization: 1, mailboxes: 'all' }])
})

t.test('answers that a client does not read count towards its limit, and no other client waits', async (t) => {
  const unsent = new UnsentAnswers()
  const server = await start(t, { unsent })
  const statusOf = async (key: string, method = 'GET') => {
    const body = method === 'POST' ? { body: { name: 'a' } } : {}
    return (await server.ask(method, method === 'POST' ? '/v1/things' : '/v1/things/a', { key, ...body })).status
  }
  const call = request(`${server.url}/v1/large`, { headers: { Authorization: 'Bearer sk_owner' }, agent: false }).end()
  const [unread] = (await once(call, 'response')) as [IncomingMessage]
  const held = unsent.of(OWNER.credential)
  t.ok(held > 1_000_000, `${held} octets`)
  const rest = Promise.withResolvers<void>()
  unsent.hold(OWNER.credential, UNSENT_MAX_BYTES - ANSWER_MAX_BYTES - held, (left) => void rest.promise.then(left))
  t.equal(await statusOf('sk_owner'), 200, 'there is room for one more')
  const more = Promise.withResolvers<void>()
  unsent.hold(OWNER.credential, 1, (left) => void more.promise.then(left))
  const refused = await server.ask('GET', '/v1/things/a')
  t.match(refused, { status: 429, body: { error: { code: 'rate_limit_exceeded', message: /have not been read/ } } })
  t.match(refused.headers.get('retry-after'), /^[1-9]\d*$/)
  t.equal(await statusOf('sk_owner', 'POST'), 429, 'before anything is done')
  t.equal(await statusOf('sk_reader'), 200)
  const hasLeft = new Promise<void>((resolve) => unsent.onRoom(resolve))
  unread.destroy()
  await hasLeft
  t.equal(await statusOf('sk_owner'), 200)
  rest.resolve()
  more.resolve()
  await Promise.all([rest.promise, more.promise])
  t.equal(unsent.of(OWNER.credential), 0)
  t.equal(unsent.ofAll, 0)
})
