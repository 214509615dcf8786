import t, { type Test } from 'tap'
import { Domain } from '../../jmap/policy/domain/domain.type.ts'
import { DEFAULT_RATES, type RateTable } from '../../rest/access/rate-tiers.ts'
import { endpoint } from '../../rest/endpoint.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import { anything } from '../../rest/schema/schema.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { addressGroup } from '../../server/base/http/client-address.ts'
import { TokenBuckets } from '../../server/base/http/token-buckets.ts'
import { CODEC, OWNER, ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

const base = { tag: TAG, summary: 'Limited', status: 200, response: anything(), errors: [] } as const
const read = endpoint({
  ...base,
  method: 'GET',
  path: '/v1/read',
  operationId: 'read',
  scope: 'domains:read',
  tier: 'read',
  run: async () => ({}),
})
const closed = endpoint({
  ...base,
  method: 'GET',
  path: '/v1/closed',
  operationId: 'closed',
  scope: 'webhooks:read',
  tier: 'read',
  run: async () => ({}),
})
const verify = endpoint({
  ...base,
  method: 'POST',
  path: '/v1/domains/{domain_id}/verification',
  operationId: 'verify',
  scope: 'domains:read',
  tier: 'verification',
  run: async () => ({}),
})

async function start(t: Test, rates: Partial<RateTable>) {
  const core = new ScriptedCore()
  for (const [key, organization] of [
    ['sk_a', 1],
    ['sk_b', 1],
    ['sk_c', 1],
    ['sk_d', 1],
    ['sk_e', 1],
    ['sk_f', 1],
    ['sk_other', 2],
  ] as const) {
    core.keys.set(key, { ...OWNER, organization, scopes: ['domains:read'], credential: key })
  }
  for (const key of ['sk_weak', 'sk_weak_1', 'sk_weak_2', 'sk_weak_3', 'sk_weak_4', 'sk_weak_5'])
    core.keys.set(key, { ...OWNER, scopes: [], credential: key })
  core.keys.set('sk_bound', { ...OWNER, scopes: ['domains:read'], domains: [1], credential: 'sk_bound' })
  const off = { read: 0, write: 0, send: 0, verification: 0, failedAuth: 0 }
  const deps = testDeps(core, { config: { rates: { ...off, ...rates } } })
  const server = await startRest(createRouter([read, closed, verify], deps), 'sk_a')
  t.teardown(() => server.close())
  return { server, clock: deps.clock }
}

t.test('an answer has the rate limit in both header styles', async (t) => {
  const { server } = await start(t, DEFAULT_RATES)
  const { headers } = await server.ask('GET', '/v1/read')
  t.equal(headers.get('ratelimit-policy'), '"read";q=6000;w=60, "read-burst";q=1000;w=10')
  t.equal(headers.get('ratelimit'), '"read";r=5999;t=1, "read-burst";r=999;t=1')
  t.equal(headers.get('ratelimit-limit'), '6000')
  t.equal(headers.get('ratelimit-remaining'), '999')
  t.equal(headers.get('ratelimit-reset'), '1')
})

t.test('as many requests as remain are accepted, and the next one is refused', async (t) => {
  const { server, clock } = await start(t, { read: 60 })
  for (const pause of [0, 3_500, 60_000, 1_000]) {
    clock.advance(pause)
    let remaining = Number((await server.ask('GET', '/v1/read')).headers.get('ratelimit-remaining'))
    for (; remaining > 0; remaining--) t.equal((await server.ask('GET', '/v1/read')).status, 200)
    const refused = await server.ask('GET', '/v1/read')
    t.equal(refused.status, 429)
    clock.advance(Number(refused.headers.get('ratelimit-reset')) * 1_000)
  }
})

t.test("what remains is the organization's, where that is less", async (t) => {
  const { server } = await start(t, { read: 10 })
  for (const key of ['sk_a', 'sk_b', 'sk_c', 'sk_d'])
    for (let i = 0; i < 10; i++) await server.ask('GET', '/v1/read', { key })
  for (let i = 0; i < 5; i++) await server.ask('GET', '/v1/read', { key: 'sk_e' })
  const { headers } = await server.ask('GET', '/v1/read', { key: 'sk_f' })
  t.equal(headers.get('ratelimit-remaining'), '4', 'not 9')
})

t.test('a request without the scope uses no shared limit of the organization (decision D31)', async (t) => {
  const { server } = await start(t, DEFAULT_RATES)
  const verifyAs = async (key: string) => (await server.ask('POST', '/v1/domains/d1/verification', { key })).status
  for (let i = 0; i < 20; i++) t.match(String(await verifyAs('sk_weak')), /^(403|429)$/)
  t.equal(await verifyAs('sk_weak'), 429, 'it has a bucket of its own')
  t.equal(await verifyAs('sk_a'), 200)
  for (let i = 0; i < 20; i++) await verifyAs('sk_a')
  t.equal(await verifyAs('sk_b'), 429, 'control: keys with the scope share one')
})

t.test('keys without the scope do not use up the reads of their organization', async (t) => {
  const { server } = await start(t, { read: 10 })
  const exhaust = async (keys: readonly string[]) => {
    for (const key of keys) for (let i = 0; i < 10; i++) await server.ask('GET', '/v1/closed', { key })
  }
  await exhaust(['sk_weak_1', 'sk_weak_2', 'sk_weak_3', 'sk_weak_4', 'sk_weak_5'])
  t.equal((await server.ask('GET', '/v1/closed', { key: 'sk_weak_1' })).status, 429, 'each has a bucket of its own')
  t.equal((await server.ask('GET', '/v1/read', { key: 'sk_f' })).status, 200)
  for (const key of ['sk_a', 'sk_b', 'sk_c', 'sk_d', 'sk_e'])
    for (let i = 0; i < 10; i++) await server.ask('GET', '/v1/read', { key })
  t.equal((await server.ask('GET', '/v1/read', { key: 'sk_f' })).status, 429, 'control: keys with the scope do')
})

t.test('a key for other domains does not use up the verification of a domain', async (t) => {
  const { server } = await start(t, { verification: 1 })
  const [own, foreign] = [1, 2].map((number) => CODEC.encode(Domain, OWNER.organization, number))
  const verifyAs = async (key: string, domain = '') =>
    (await server.ask('POST', `/v1/domains/${domain}/verification`, { key })).status
  await verifyAs('sk_bound', foreign)
  t.equal(await verifyAs('sk_bound', foreign), 429, 'it has a bucket of its own')
  t.equal(await verifyAs('sk_a', foreign), 200)
  await verifyAs('sk_bound', own)
  t.equal(await verifyAs('sk_a', own), 429, 'control: its own domain is verified for all')
})

t.test('refusals after authentication have the rate limit too', async (t) => {
  const { server } = await start(t, DEFAULT_RATES)
  for (const [method, path, status] of [
    ['GET', '/v1/nothing', 404],
    ['PUT', '/v1/read', 405],
    ['GET', '/v1/closed', 403],
  ] as const) {
    const answer = await server.ask(method, path)
    t.equal(answer.status, status)
    t.match(answer.headers.get('ratelimit-limit'), /^\d+$/, path)
    t.match(answer.headers.get('ratelimit-policy'), /;w=60, /, path)
  }
  t.equal((await server.ask('GET', '/v1/read', { key: null })).headers.get('ratelimit-limit'), null)
})

t.test("a burst is a sixth of a minute's requests, and tokens come back with time", async (t) => {
  const { server, clock } = await start(t, { read: 120 })
  const statuses = async (count: number) => {
    const all: number[] = []
    for (let i = 0; i < count; i++) all.push((await server.ask('GET', '/v1/read')).status)
    return all
  }
  t.same(new Set(await statuses(20)), new Set([200]))
  t.same(await statuses(1), [429])
  clock.advance(499)
  t.same(await statuses(1), [429])
  clock.advance(1)
  t.same(await statuses(2), [200, 429])
  clock.advance(60_000)
  t.same((await statuses(21)).filter((status) => status === 200).length, 20)
})

t.test('a refusal has Retry-After', async (t) => {
  const { server, clock } = await start(t, { read: 12 })
  for (let i = 0; i < 10; i++) await server.ask('GET', '/v1/read')
  const answer = await server.ask('GET', '/v1/read')
  t.match(answer, { status: 429, body: { error: { type: 'rate_limit_exceeded' } } })
  t.equal(answer.headers.get('retry-after'), '5')
  t.equal(answer.headers.get('ratelimit-remaining'), '0')
  t.same(answer.body.error.details, [{ tier: 'read', limit: 12, window_seconds: 60, retry_after_seconds: 5 }])
  clock.advance(5_000)
  t.equal((await server.ask('GET', '/v1/read')).status, 200)
})

t.test('the remaining number is 0 exactly when the next request is refused', async (t) => {
  const { server } = await start(t, { read: 12 })
  for (let i = 0; i < 10; i++) {
    const { headers } = await server.ask('GET', '/v1/read')
    t.equal(headers.get('ratelimit-remaining') === '0', i === 9)
  }
})

t.test('each key has a bucket, and an organization one of five times the size', async (t) => {
  const { server } = await start(t, { read: 10 })
  const served = async (key: string) => {
    let count = 0
    for (let i = 0; i < 12; i++) if ((await server.ask('GET', '/v1/read', { key })).status === 200) count++
    return count
  }
  for (const key of ['sk_a', 'sk_b', 'sk_c', 'sk_d', 'sk_e']) t.equal(await served(key), 10, key)
  t.equal(await served('sk_f'), 0)
  t.equal(await served('sk_other'), 10)
})

t.test('verification is allowed once a minute for each domain and endpoint', async (t) => {
  const { server, clock } = await start(t, { verification: 1 })
  const verifyOf = async (domain: string, key = 'sk_a') =>
    (await server.ask('POST', `/v1/domains/${domain}/verification`, { key })).status
  t.equal(await verifyOf('dom_1'), 200)
  t.equal(await verifyOf('dom_1'), 429)
  t.equal(await verifyOf('dom_1', 'sk_b'), 429, 'another key of the organization does not help')
  t.equal(await verifyOf('dom%5F1'), 429, 'another form of the id does not help either')
  t.equal(await verifyOf('dom_2'), 200)
  t.equal(await verifyOf('dom_1', 'sk_other'), 200)
  clock.advance(60_000)
  t.equal(await verifyOf('dom_1'), 200)
})

t.test('a rate of 0 is no limit and has no headers', async (t) => {
  const { server } = await start(t, {})
  const { headers } = await server.ask('GET', '/v1/read')
  t.equal(headers.get('ratelimit-limit'), null)
})

t.test('wrong keys from an address are counted; a right one is still accepted', async (t) => {
  const { server, clock } = await start(t, { failedAuth: 20 })
  const wrong = () => server.ask('GET', '/v1/read', { key: 'sk_wrong' })
  for (let i = 0; i < 20; i++) t.equal((await wrong()).status, 401)
  const answer = await wrong()
  t.equal(answer.status, 429)
  t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/)
  t.match(answer.body.error.details, [{ tier: 'authentication', limit: 20, window_seconds: 60 }])
  t.equal((await server.ask('GET', '/v1/read')).status, 200)
  clock.advance(60_000)
  t.equal((await wrong()).status, 401)
})

t.test('the number of buckets is bounded, and those used last are kept', async (t) => {
  const buckets = new TokenBuckets(new ManualClock(), 60, 10, 3)
  for (let i = 0; i < 10; i++) buckets.take('busy')
  for (let i = 0; i < 100; i++) {
    buckets.take(`one ${i}`)
    if (i % 2 === 0) buckets.take('busy')
  }
  t.equal(buckets.size, 3)
  t.ok(buckets.tokens('busy') < 0)
  t.equal(buckets.tokens('one 0'), 10)
})

t.test('a clock that goes back adds no tokens', async (t) => {
  const clock = { now: () => time, after: () => () => {} }
  let time = 1_000_000
  const buckets = new TokenBuckets(clock, 60, 10)
  buckets.take('a')
  time -= 500_000
  t.equal(buckets.tokens('a'), 9)
})

t.test('a /64 of IPv6 counts as one address', async (t) => {
  t.equal(addressGroup('2001:db8:1:2:3:4:5:6'), addressGroup('2001:db8:1:2::1'))
  t.not(addressGroup('2001:db8:1:2::1'), addressGroup('2001:db8:1:3::1'))
  t.equal(addressGroup('::ffff:192.0.2.1'), '192.0.2.1')
  t.not(addressGroup('192.0.2.1'), addressGroup('192.0.2.2'))
})
