import t, { type Test } from 'tap'
import { endpoint } from '../../rest/endpoint.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import * as s from '../../rest/schema/schema.ts'
import { ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

const address = s.union([s.string({ minLength: 1 }), s.object({ email: s.string(), name: s.optional(s.string()) })])

const echo = endpoint({
  method: 'POST',
  path: '/v1/echo',
  operationId: 'echo',
  tag: TAG,
  summary: 'Give back what was understood',
  scope: 'domains:write',
  tier: 'write',
  query: s.object({
    limit: s.withDefault(s.integer({ minimum: 1, maximum: 100 }), 50),
    all: s.optional(s.boolean()),
    kind: s.optional(s.oneOf(['a', 'b'])),
    text: s.optional(s.string({ minLength: 2 })),
  }),
  body: s.object({
    name: s.string({ minLength: 2, maxLength: 5, pattern: '^[a-z]+$', description: 'Small letters.' }),
    note: s.optional(s.nullable(s.string())),
    count: s.optional(s.integer({ minimum: 1, maximum: 14 })),
    at: s.optional(s.string({ format: 'date-time' })),
    kind: s.optional(s.oneOf(['a', 'b'])),
    to: s.optional(s.union([s.string(), s.object({ email: s.string() }), s.array(address, { maxItems: 2 })])),
    blocks: s.optional(s.array(s.object({ url: s.string() }))),
    tags: s.optional(s.map(s.string({ maxLength: 3 }), { maxProperties: 2 })),
    flag: s.withDefault(s.boolean(), true),
  }),
  status: 200,
  response: s.anything(),
  errors: [],
  run: async ({ body, query }) => ({ body, query }),
})

async function start(t: Test) {
  const server = await startRest(createRouter([echo], testDeps(new ScriptedCore())))
  t.teardown(() => server.close())
  return server
}

t.test('each fault of a body is reported by its field, with a code', async (t) => {
  const server = await start(t)
  const unfit = await server.ask('POST', '/v1/echo', { body: { name: 'ABC' } })
  t.equal(unfit.body.error.message, 'name is not valid: Small letters.')
  const cases: [object, string, string][] = [
    [{}, 'name', 'required'],
    [{ name: 1 }, 'name', 'invalid_type'],
    [{ name: null }, 'name', 'invalid_type'],
    [{ name: 'a' }, 'name', 'too_short'],
    [{ name: 'abcdef' }, 'name', 'too_long'],
    [{ name: 'ABC' }, 'name', 'invalid_format'],
    [{ count: 0 }, 'count', 'out_of_range'],
    [{ count: 15 }, 'count', 'out_of_range'],
    [{ count: 1.5 }, 'count', 'invalid_type'],
    [{ count: '1' }, 'count', 'invalid_type'],
    [{ at: 'tomorrow' }, 'at', 'invalid_format'],
    [{ at: '2026-02-30T00:00:00Z' }, 'at', 'invalid_format'],
    [{ kind: 'c' }, 'kind', 'not_allowed'],
    [{ blocks: [{ url: 'x' }, {}] }, 'blocks[1].url', 'required'],
    [{ blocks: {} }, 'blocks', 'invalid_type'],
    [{ to: 7 }, 'to', 'invalid_type'],
    [{ to: {} }, 'to.email', 'required'],
    [{ to: ['a', { name: 'b' }] }, 'to[1].email', 'required'],
    [{ to: ['a', 7] }, 'to[1]', 'invalid_type'],
    [{ to: ['a', ''] }, 'to[1]', 'too_short'],
    [{ to: ['a', 'b', 'c'] }, 'to', 'too_long'],
    [{ tags: { a: 'toolong' } }, 'tags.a', 'too_long'],
    [{ tags: { a: 'x', b: 'x', c: 'x' } }, 'tags', 'too_long'],
    [{ flag: 'yes' }, 'flag', 'invalid_type'],
  ]
  for (const [part, field, code] of cases) {
    const body = 'name' in part || Object.keys(part).length === 0 ? part : { name: 'abc', ...part }
    const answer = await server.ask('POST', '/v1/echo', { body })
    t.match(answer, { status: 422, body: { error: { type: 'validation_error', code: 'validation_error' } } }, field)
    t.same(
      answer.body.error.details.map((detail: { field: string; code: string }) => [detail.field, detail.code]),
      [[field, code]],
      JSON.stringify(body),
    )
    t.equal(answer.body.error.message, answer.body.error.details[0].message)
  }
})

t.test('all faults are reported at once', async (t) => {
  const answer = await (await start(t)).ask('POST', '/v1/echo', { body: { count: 0, kind: 'c' } })
  t.same(answer.body.error.details.map((detail: { field: string }) => detail.field).sort(), ['count', 'kind', 'name'])
})

t.test('a body with very many faults gets a bounded answer', async (t) => {
  const server = await start(t)
  const details = async (part: object) => {
    const answer = await server.ask('POST', '/v1/echo', { body: { name: 'abc', ...part } })
    t.equal(answer.status, 422)
    return answer.body.error.details
  }
  const blocks = (length: number) => ({ blocks: Array.from({ length }, () => ({})) })
  t.equal((await details(blocks(1_500))).length, 100)
  t.match(await details(blocks(60_000)), [{ field: 'blocks[0].url', code: 'required' }])
  t.equal((await details(blocks(60_000))).length, 1)
})

t.test('faults in very many values of a union are found in time that grows with them', async (t) => {
  const server = await start(t)
  const to = Array.from({ length: 60_000 }, () => ({}))
  const answer = await server.ask('POST', '/v1/echo', { body: { name: 'abc', to } })
  t.match(answer, { status: 422, body: { error: { details: [{ field: 'to', code: 'too_long' }] } } })
  const fewer = await server.ask('POST', '/v1/echo', { body: { name: 'abc', to: to.slice(0, 1_500) } })
  t.match(fewer.body.error.details.slice(0, 2), [{ field: 'to' }, { field: 'to[0].email', code: 'required' }])
})

t.test('unknown members of a body are ignored, also __proto__', async (t) => {
  const raw = '{"name":"abc","unknown":1,"__proto__":{"count":7}}'
  const headers = { 'Content-Type': 'application/json' }
  const answer = await (await start(t)).ask('POST', '/v1/echo', { raw, headers })
  t.equal(answer.status, 200)
  t.equal(answer.body.body.count, undefined)
  t.equal(({} as { count?: number }).count, undefined)
})

t.test('an omitted member gets its default', async (t) => {
  const { body } = await (await start(t)).ask('POST', '/v1/echo', { body: { name: 'abc' } })
  t.same(body, { body: { name: 'abc', flag: true }, query: { limit: 50 } })
})

t.test('null is accepted where it is declared', async (t) => {
  const { body } = await (await start(t)).ask('POST', '/v1/echo', { body: { name: 'abc', note: null } })
  t.equal(body.body.note, null)
})

t.test('a query is read as the declared types', async (t) => {
  const { body } = await (await start(t)).ask('POST', '/v1/echo?limit=7&all=yes&kind=b&text=%C3%BC%20x&other=1', {
    body: { name: 'abc' },
  })
  t.same(body.query, { limit: 7, all: true, kind: 'b', text: 'ü x' })
})

t.test('an invalid query value is refused', async (t) => {
  const server = await start(t)
  const cases: [string, string, string][] = [
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=101', 'limit', 'out_of_range'],
    ['limit=ten', 'limit', 'invalid_type'],
    ['limit=1.5', 'limit', 'invalid_type'],
    ['limit=', 'limit', 'invalid_type'],
    ['limit=1e1', 'limit', 'invalid_type'],
    ['limit=1&limit=2', 'limit', 'invalid_type'],
    ['all=maybe', 'all', 'invalid_type'],
    ['kind=c', 'kind', 'not_allowed'],
    ['text=x', 'text', 'too_short'],
  ]
  for (const [query, field, code] of cases) {
    const answer = await server.ask('POST', `/v1/echo?${query}`, { body: { name: 'abc' } })
    t.match(answer, { status: 422, body: { error: { details: [{ field, code }] } } }, query)
  }
})

t.test('a body that is not JSON is malformed_json', async (t) => {
  const server = await start(t)
  const headers = { 'Content-Type': 'application/json' }
  for (const raw of ['{', 'x', '{"name":"a","name":"b"}', new Uint8Array([0x22, 0xff, 0x22]), '['.repeat(100_000)]) {
    const answer = await server.ask('POST', '/v1/echo', { raw, headers })
    t.match(answer, { status: 422, body: { error: { code: 'malformed_json', details: [{ field: null }] } } })
  }
})

t.test('a body that is not an object is refused as a whole', async (t) => {
  const server = await start(t)
  for (const body of [[], 'x', 1, null]) {
    const answer = await server.ask('POST', '/v1/echo', { body })
    t.match(answer, { status: 422, body: { error: { details: [{ field: null, code: 'invalid_type' }] } } })
  }
})

t.test('no body is read as a body without members', async (t) => {
  const answer = await (await start(t)).ask('POST', '/v1/echo')
  t.match(answer, { status: 422, body: { error: { details: [{ field: 'name', code: 'required' }] } } })
})
