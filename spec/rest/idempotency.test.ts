import t, { type Test } from 'tap'
import type { Idempotency } from '../../jmap/services.ts'
import { endpoint } from '../../rest/endpoint.ts'
import { ApiError } from '../../rest/errors/api-error.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import * as s from '../../rest/schema/schema.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { IDEMPOTENCY_RENEW_MS } from '../../server/base/limits.ts'
import { MemoryIdempotency } from '../support/memory-idempotency.ts'
import { OWNER, ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

/** An endpoint that counts its runs; a run waits for `gate`. */
function counter() {
  const state = { runs: 0, gate: Promise.resolve() }
  const declaration = {
    method: 'POST',
    tag: TAG,
    summary: 'Count',
    scope: 'domains:write',
    tier: 'write',
    body: s.object({ name: s.string() }),
    status: 201,
    response: s.object({ run: s.integer() }),
    errors: ['domain_exists', 'quota_exceeded', 'not_found'],
  } as const
  const run = async ({ body }: { body: { name: string } }) => {
    state.runs++
    await state.gate
    if (body.name === 'taken') throw new ApiError('domain_exists')
    if (body.name === 'quota') throw new ApiError('quota_exceeded')
    if (body.name === 'broken') throw new Error('broken')
    return { run: state.runs }
  }
  const endpoints = [
    endpoint({ ...declaration, path: '/v1/ones', operationId: 'ones', run }),
    endpoint({ ...declaration, path: '/v1/twos', operationId: 'twos', run }),
    endpoint({ ...declaration, path: '/v1/ones/more', operationId: 'more', run }),
    endpoint({
      ...declaration,
      path: '/v1/folders',
      operationId: 'folders',
      body: s.object({ name: s.string(), idempotency_key: s.optional(s.string()) }),
      idempotencyMember: 'idempotency_key',
      run,
    }),
  ]
  return { state, endpoints }
}

async function start(t: Test, idempotency?: Idempotency, clock = new ManualClock()) {
  const { state, endpoints } = counter()
  const core = new ScriptedCore()
  core.keys.set('sk_other', { ...OWNER, organization: 2, credential: 'key-2' })
  core.keys.set('sk_same', { ...OWNER, credential: 'key-3' })
  core.keys.set('sk_limited', { ...OWNER, mailboxes: [1], credential: 'key-5' })
  core.keys.set('sk_limited_alike', { ...OWNER, mailboxes: [1], credential: 'key-7' })
  core.keys.set('sk_narrow', { ...OWNER, scopes: ['domains:write'], credential: 'key-6' })
  core.keys.set('sk_weak', { ...OWNER, scopes: [], credential: 'key-4' })
  const deps = testDeps(core, { clock, ...(idempotency && { idempotency }) })
  const server = await startRest(createRouter(endpoints, deps))
  t.teardown(() => server.close())
  const post = (key: string, name: string, more: { path?: string; as?: string } = {}) => {
    return server.ask('POST', more.path ?? '/v1/ones', {
      body: { name },
      headers: { 'Idempotency-Key': key },
      ...(more.as && { key: more.as }),
    })
  }
  return { server, state, clock, post }
}

const reused = { error: { code: 'idempotency_key_reused' } }

t.test('requests with the same key and body run once and get the same answer', async (t) => {
  const { post, state } = await start(t)
  const first = await post('k1', 'a')
  const second = await post('k1', 'a')
  t.equal(state.runs, 1)
  t.match(second, { status: 201, body: { run: 1 } })
  t.equal(first.headers.get('idempotent-replayed'), null)
  t.equal(second.headers.get('idempotent-replayed'), 'true')
})

t.test('a request without a key, or with another key, runs again', async (t) => {
  const { post, server, state } = await start(t)
  await server.ask('POST', '/v1/ones', { body: { name: 'a' } })
  await server.ask('POST', '/v1/ones', { body: { name: 'a' } })
  await post('k1', 'a')
  await post('k2', 'a')
  t.equal(state.runs, 4)
})

t.test('the same key with another body is refused and runs nothing', async (t) => {
  const { post, state } = await start(t)
  await post('k1', 'a')
  const answer = await post('k1', 'b')
  t.match(answer, { status: 422, body: { error: { type: 'validation_error', code: 'idempotency_key_reused' } } })
  t.match(await post('k1', 'a', { path: '/v1/ones?more=1' }), { status: 422, body: reused }, 'so is another query')
  t.equal(state.runs, 1)
})

t.test('the same key with another body is refused also while the first request runs', async (t) => {
  const { post, state } = await start(t)
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const first = post('k1', 'a')
  while (state.runs === 0) await new Promise((resolve) => setImmediate(resolve))
  t.match(await post('k1', 'b'), { status: 422, body: reused })
  gate.resolve()
  t.equal((await first).status, 201)
  t.equal(state.runs, 1)
})

t.test('the end of a path is not the beginning of a key', async (t) => {
  const { post, state } = await start(t)
  t.equal((await post('k', 'a', { path: '/v1/ones/more' })).status, 201)
  t.equal((await post('/morek', 'a')).status, 201)
  t.equal(state.runs, 2)
})

t.test('an idempotency key belongs to its organization and path, whatever the API key', async (t) => {
  const { post, state } = await start(t)
  await post('k1', 'a')
  await post('k1', 'a', { as: 'sk_same' })
  t.equal(state.runs, 1)
  await post('k1', 'a', { as: 'sk_other' })
  await post('k1', 'a', { path: '/v1/twos' })
  t.equal(state.runs, 3)
})

t.test('an API key with fewer rights does not get the answer of another', async (t) => {
  const { post, state } = await start(t)
  t.equal((await post('a', 'x')).status, 201)
  for (const as of ['sk_limited', 'sk_narrow']) t.match(await post('a', 'x', { as }), { status: 422, body: reused })
  t.equal((await post('b', 'x', { as: 'sk_limited' })).status, 201)
  t.equal((await post('b', 'x', { as: 'sk_limited' })).headers.get('idempotent-replayed'), 'true', 'control: its own')
  t.match(await post('b', 'x', { as: 'sk_limited_alike' }), { status: 422, body: reused }, 'nor by the same limits')
  t.equal(state.runs, 2)
})

t.test('paths with and without the prefix are the same', async (t) => {
  const { post, state } = await start(t)
  await post('k1', 'a')
  await post('k1', 'a', { path: '/api/v1/ones' })
  t.equal(state.runs, 1)
})

t.test('a second request is refused while the first is running', async (t) => {
  const { post, state } = await start(t)
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const first = post('k1', 'a')
  while (state.runs === 0) await new Promise((resolve) => setImmediate(resolve))
  const second = await post('k1', 'a')
  t.match(second, { status: 409, body: { error: { type: 'conflict', code: 'idempotency_in_progress' } } })
  t.equal(second.headers.get('retry-after'), '1')
  gate.resolve()
  t.equal((await first).status, 201)
  t.match(await post('k1', 'a'), { status: 201, body: { run: 1 } })
  t.equal(state.runs, 1)
})

t.test('a request that takes long renews its lease, and stops when it has ended', async (t) => {
  const clock = new ManualClock()
  const slots = new MemoryIdempotency(clock)
  let renewals = 0
  const begin: Idempotency['begin'] = (slot) => slots.begin(slot)
  const extend: Idempotency['extend'] = async (slot) => {
    // A failed one is repeated.
    if (++renewals === 2) throw new Error('not now')
    return slots.extend(slot)
  }
  const finish: Idempotency['finish'] = (...args) => slots.finish(...args)
  const { post, state } = await start(t, { begin, extend, finish, abandon: (slot) => slots.abandon(slot) }, clock)
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const first = post('k1', 'a')
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  while (state.runs === 0) await turn()
  for (let i = 1; i <= 5; i++) {
    clock.advance(IDEMPOTENCY_RENEW_MS)
    t.equal(renewals, i)
    await turn()
  }
  gate.resolve()
  t.equal((await first).status, 201)
  clock.advance(10 * IDEMPOTENCY_RENEW_MS)
  t.equal(renewals, 5)
})

t.test('many simultaneous requests run once', async (t) => {
  const { post, state } = await start(t)
  const answers = await Promise.all(Array.from({ length: 30 }, () => post('k1', 'a')))
  t.equal(state.runs, 1)
  t.ok(answers.every(({ status }) => status === 201 || status === 409))
})

t.test('a refusal is replayed, with its request id', async (t) => {
  const { post, state } = await start(t)
  const first = await post('k1', 'taken')
  const second = await post('k1', 'taken')
  t.equal(state.runs, 1)
  t.equal(second.status, 409)
  t.equal(second.text, first.text)
  t.equal(second.headers.get('x-request-id'), second.body.error.request_id)
})

t.test('an invalid body is refused in the same way again', async (t) => {
  const { server } = await start(t)
  const ask = { body: {}, headers: { 'Idempotency-Key': 'k1' } }
  t.equal((await server.ask('POST', '/v1/ones', ask)).status, 422)
  const again = await server.ask('POST', '/v1/ones', ask)
  t.equal(again.status, 422)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
})

t.test('an answer that may differ the next time is not kept', async (t) => {
  const { post, state } = await start(t)
  t.equal((await post('k1', 'quota')).status, 403)
  t.equal((await post('k1', 'quota')).status, 403)
  t.equal((await post('k2', 'broken')).status, 500)
  t.equal((await post('k2', 'broken')).status, 500)
  t.equal(state.runs, 4)
  t.equal((await post('k3', 'a', { as: 'sk_weak' })).status, 403)
  t.equal((await post('k3', 'a')).status, 201)
})

t.test('an answer is kept for 24 hours', async (t) => {
  const { post, state, clock } = await start(t)
  await post('k1', 'a')
  clock.advance(86_399_999)
  await post('k1', 'a')
  t.equal(state.runs, 1)
  clock.advance(1)
  await post('k1', 'a')
  t.equal(state.runs, 2)
})

t.test('a key has 1 to 255 printable ASCII characters', async (t) => {
  const { post } = await start(t)
  for (const key of ['x'.repeat(256), 'k\u00e9']) {
    t.match(await post(key, 'a'), { status: 422, body: { error: { code: 'invalid_idempotency_key' } } })
  }
  t.equal((await post('x'.repeat(255), 'a')).status, 201)
})

t.test('a member of the body may be the key, with the meaning of the header', async (t) => {
  const { server, state } = await start(t)
  const post = (body: object, headers = {}) => server.ask('POST', '/v1/folders', { body, headers })
  const written = { name: 'a', idempotency_key: 'k1' }
  t.equal((await post(written)).status, 201)
  t.equal((await post(written)).headers.get('idempotent-replayed'), 'true')
  t.equal((await post(written, { 'Idempotency-Key': 'k1' })).headers.get('idempotent-replayed'), 'true')
  t.equal(state.runs, 1)
  t.match(await post(written, { 'Idempotency-Key': 'k2' }), {
    status: 422,
    body: { error: { details: [{ field: 'idempotency_key', code: 'not_allowed' }] } },
  })
  t.match(await post({ name: 'a', idempotency_key: '' }), { body: { error: { code: 'invalid_idempotency_key' } } })
  t.equal((await post({ name: 'a', idempotency_key: 7 })).status, 422)
  t.equal((await post({ name: 'a' }, { 'Idempotency-Key': 'k3' })).status, 201)
  t.equal(state.runs, 2)
})

t.test('an answer that cannot be kept is still sent', async (t) => {
  const store: Idempotency = {
    begin: async () => ({ status: 'new', lease: '', begunAt: 0, lastRound: null, past: [] }),
    extend: async () => true,
    finish: () => Promise.reject(new Error('no room')),
    abandon: () => Promise.reject(new Error('no room')),
  }
  const { post } = await start(t, store)
  t.equal((await post('k1', 'a')).status, 201)
  t.equal((await post('k1', 'quota')).status, 403)
})
