// Promise T1: large bodies are executed outside of the thread of the sockets, with the same answers.
import t, { type Test } from 'tap'
import type { JmapRequest } from '../../jmap/protocol/messages.ts'
import type { Call } from '../../rest/calls/jmap-calls.ts'
import { endpoint } from '../../rest/endpoint.ts'
import { ApiError } from '../../rest/errors/api-error.ts'
import type { AdmittedRequest } from '../../rest/executor.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import { createWrittenAnswers } from '../../rest/pipeline/written-answer.ts'
import { object, string } from '../../rest/schema/schema.ts'
import { Failure } from '../../server/base/errors.ts'
import { type Guard, UNGUARDED, WaitingClient } from '../../server/base/guard.ts'
import { REST_HERE_MAX_BYTES } from '../../server/base/limits.ts'
import { silentLogger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import { ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

const makeThing = endpoint({
  tag: TAG,
  summary: 'A thing',
  method: 'POST',
  path: '/v1/boxes/{box_id}/things',
  operationId: 'makeThing',
  scope: 'domains:write',
  query: object({ mode: string() }),
  body: object({ name: string(), text: string() }),
  bodyLimit: 10_000_000,
  status: 201,
  response: object({ box: string(), mode: string(), name: string(), text: string() }),
  errors: ['domain_exists'],
  run: async ({ params, query, body }) => {
    if (body.name === 'taken') throw new ApiError('domain_exists')
    if (body.name === 'broken') throw new Error('secret words of the inside')
    if (body.name === 'full') throw new Failure('storageFull', 'disk full')
    return { box: params.box_id, mode: query.mode, ...body }
  },
})

const readThing = endpoint({
  tag: TAG,
  summary: 'A thing',
  method: 'GET',
  path: '/v1/things/{thing_id}',
  operationId: 'readThing',
  scope: 'domains:read',
  response: object({ object: string(), text: string() }),
  calls: () => ({ found: { method: 'Thing/get', args: {} } as Call<{ text: string }> }),
  reply: ({ found }) => ({ object: 'thing', text: found.text }),
})

/** A core whose answers are too large for objects. */
class HeavyCore extends ScriptedCore {
  override async process(principal: Principal, request: JmapRequest, _steps?: unknown, guard?: Guard) {
    if (guard instanceof WaitingClient && guard.restartsLarge) throw new Failure('diverted', 'too much')
    return super.process(principal, request)
  }
}

const LARGE = 'ü'.repeat(REST_HERE_MAX_BYTES)
const PATH = '/v1/boxes/b1/things?mode=new'

/** A server that executes large requests elsewhere, or one that executes all of them here. */
async function start(t: Test, isElsewhere: boolean, fault: Failure | null = null) {
  const executed: AdmittedRequest[] = []
  const deps = testDeps(new ScriptedCore(), { logger: silentLogger })
  const answers = createWrittenAnswers([makeThing], deps, true)
  const elsewhere = async (request: AdmittedRequest) => {
    executed.push(request)
    if (fault) throw fault
    return answers(structuredClone(request))
  }
  const server = await startRest(createRouter([makeThing], isElsewhere ? { ...deps, elsewhere } : deps))
  t.teardown(() => server.close())
  return { executed, ask: server.ask }
}

t.test('a large request has the same answer, wherever it is executed', async (t) => {
  const [here, there] = [await start(t, false), await start(t, true)]
  const asks = [
    ['its object', { body: { name: 'x', text: LARGE } }],
    ['a fault of the body', { body: { name: 'x', text: LARGE, more: 1, name2: 'x' } }],
    ['a fault of a member', { body: { name: 1, text: LARGE } }],
    ['no JSON', { raw: `{"name":"x","text":"${LARGE}"`, headers: { 'Content-Type': 'application/json' } }],
    ['a refusal', { body: { name: 'taken', text: LARGE } }],
    ['an unexpected failure', { body: { name: 'broken', text: LARGE } }],
    ['a store without room', { body: { name: 'full', text: LARGE } }],
    ['a key', { body: { name: 'x', text: LARGE }, headers: { 'Idempotency-Key': 'k1' } }],
    ['the same key again', { body: { name: 'x', text: LARGE }, headers: { 'Idempotency-Key': 'k1' } }],
    ['the key with another body', { body: { name: 'y', text: LARGE }, headers: { 'Idempotency-Key': 'k1' } }],
    ['a wrong key', { body: { name: 'y', text: LARGE }, headers: { 'Idempotency-Key': 'k'.repeat(300) } }],
  ] as const
  for (const [name, ask] of asks) {
    const [wanted, answer] = [await here.ask('POST', PATH, ask), await there.ask('POST', PATH, ask)]
    const shown = ({ status, body, headers, text }: typeof wanted) => {
      const { 'x-request-id': requestId, date: _date, ...fields } = Object.fromEntries(headers)
      const ids = body.error ? body.error.request_id : requestId
      return { status, fields, body: text.replaceAll(ids, 'ID'), isNamed: requestId === ids }
    }
    t.same(shown(answer), shown(wanted), name)
  }
  t.equal(there.executed.length, asks.length)
  t.equal(here.executed.length, 0)
})

t.test('a small request is executed here', async (t) => {
  const { ask, executed } = await start(t, true)
  t.match(await ask('POST', PATH, { body: { name: 'x', text: 'small' } }), { status: 201, body: { text: 'small' } })
  t.equal(executed.length, 0)
  t.match(await ask('POST', PATH, { body: { name: 'x', text: LARGE } }), { status: 201, body: { text: LARGE } })
  t.equal(executed.length, 1, 'control')
})

t.test('a read whose answer is too large for objects is executed elsewhere from its beginning', async (t) => {
  const core = new HeavyCore()
  core.methods.set('Thing/get', () => ({ text: LARGE }))
  const deps = testDeps(core)
  const answers = createWrittenAnswers([readThing], deps, true)
  const clients: unknown[] = []
  const elsewhere = (request: AdmittedRequest, client: WaitingClient) => {
    clients.push(client)
    return answers(structuredClone(request), UNGUARDED)
  }
  const [here, there] = [
    await startRest(createRouter([readThing], deps)),
    await startRest(createRouter([readThing], { ...deps, elsewhere })),
  ]
  t.teardown(() => Promise.all([here.close(), there.close()]))
  const [wanted, answer] = [await here.ask('GET', '/v1/things/t1'), await there.ask('GET', '/v1/things/t1')]
  t.match(answer, { status: 200, body: { text: LARGE } })
  t.equal(answer.text, wanted.text)
  const etag = wanted.headers.get('etag')!
  t.equal(answer.headers.get('etag'), etag)
  const headers = { 'If-None-Match': etag }
  t.match(await there.ask('GET', '/v1/things/t1', { headers }), { status: 304, text: '' })
  t.equal(clients.length, 2)
  t.ok(clients.every((client) => client instanceof WaitingClient))
})

t.test('when there is no thread for it, a large request is 503', async (t) => {
  const { ask } = await start(t, true, new Failure('busy', 'too many'))
  t.match(await ask('POST', PATH, { body: { name: 'x', text: LARGE } }), {
    status: 503,
    body: { error: { code: 'service_unavailable' } },
  })
})
