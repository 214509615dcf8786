import t from 'tap'
import {
  PUSH_SUBSCRIPTION_LIFETIME_MS,
  PUSH_SUBSCRIPTIONS_MAX,
  PUSH_SUBSCRIPTIONS_PER_HOUR,
} from '../../../server/base/push-limits.ts'
import { listPushSubscriptions } from '../../../storage/repos/push-subscriptions.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { PushClient } from '../../support/push-service.ts'

const URL = 'https://push.example.com/1'
const DAY_MS = 86_400_000

await forEachEngine(t, async (t, engine) => {
  const { mailbox, request, key, clock, store } = await startCore(t, engine)
  const alice = await mailbox('alice')
  let count = 0
  /** A separate principal, so that limits of tests do not add up. */
  const client = async () => {
    const bob = await mailbox(`user${++count}`)
    const call = async (name: 'get' | 'set', args: object) => {
      const [response] = await request([[`PushSubscription/${name}`, args as never]], bob.principal)
      // biome-ignore lint/suspicious/noExplicitAny: assertions of the test describe the shape
      return response as any
    }
    const create = async (more: object) => {
      const [, made] = await call('set', { create: { s: { deviceClientId: 'd', url: URL, ...more } } })
      return made
    }
    return { bob, call, create }
  }
  const date = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')

  await t.test('/set and /get have no accountId and no state', async (t) => {
    const { call, create } = await client()
    const made = await create({})
    t.same(Object.keys(made).sort(), ['created', 'destroyed', 'notCreated', 'notDestroyed', 'notUpdated', 'updated'])
    t.match(await call('set', { accountId: alice.accountId }), ['error', { type: 'invalidArguments' }])
    t.match(await call('set', { ifInState: '0' }), ['error', { type: 'invalidArguments' }])
    t.match(await call('get', { accountId: alice.accountId }), ['error', { type: 'invalidArguments' }])
    const [name, got] = await call('get', { ids: null })
    t.equal(name, 'PushSubscription/get')
    t.same(Object.keys(got).sort(), ['list', 'notFound'])
  })

  await t.test('properties that the client did not send are returned at creation', async (t) => {
    const { create } = await client()
    const { created } = await create({})
    t.match(created.s, { id: /^psh_/, keys: null, types: null, verificationCode: null, expires: String })
    t.notOk('url' in created.s)
  })

  await t.test('/get returns objects by id or all, and refuses url and keys', async (t) => {
    const { call, create } = await client()
    const { id } = (await create({ keys: new PushClient().keys, types: ['Email'] })).created.s
    const [, got] = await call('get', { ids: [id, 'nonsense'] })
    t.same(got.notFound, ['nonsense'])
    t.same(Object.keys(got.list[0]).sort(), ['deviceClientId', 'expires', 'id', 'types', 'verificationCode'])
    t.match(got.list[0], { id, deviceClientId: 'd', types: ['Email'] })
    for (const property of ['url', 'keys'])
      t.match(await call('get', { ids: null, properties: ['id', property] }), ['error', { type: 'forbidden' }])
    const [, some] = await call('get', { ids: null, properties: ['types'] })
    t.same(some.list, [{ id, types: ['Email'] }])
  })

  await t.test('/get does not return the code before the client has sent it', async (t) => {
    const { bob, call, create } = await client()
    const { id } = (await create({})).created.s
    const [row] = await store.read((reader) => listPushSubscriptions(reader, bob.account))
    t.equal((await call('get', { ids: [id] }))[1].list[0].verificationCode, null)
    const { code } = row!
    t.ok(Buffer.from(code, 'base64url').length >= 16, 'it has enough entropy')
    for (const wrong of ['wrong', '', code.slice(1), `${code}A`, `${code[0] === 'A' ? 'B' : 'A'}${code.slice(1)}`]) {
      const [, answer] = await call('set', { update: { [id]: { verificationCode: wrong } } })
      t.match(answer.notUpdated[id], { type: 'invalidProperties', properties: ['verificationCode'] }, wrong)
    }
    t.equal((await call('get', { ids: [id] }))[1].list[0].verificationCode, null)
    const right = await call('set', { update: { [id]: { verificationCode: code } } })
    t.same(right[1].updated, { [id]: null })
    t.equal((await call('get', { ids: [id] }))[1].list[0].verificationCode, code)
  })

  await t.test('only subscriptions of the same credentials are returned', async (t) => {
    const mine = await client()
    const { id } = (await mine.create({})).created.s
    const other = await client()
    t.same((await other.call('get', { ids: null }))[1].list, [])
    t.same((await other.call('get', { ids: [id] }))[1].notFound, [id])
    t.match((await other.call('set', { destroy: [id] }))[1].notDestroyed, { [id]: { type: 'notFound' } })
    t.match((await other.call('set', { update: { [id]: { types: [] } } }))[1].notUpdated, {
      [id]: { type: 'notFound' },
    })
    const { principal } = await key({ scopes: ['mailboxes:read'] })
    const [byKey] = await request([['PushSubscription/get', { ids: null }]], principal)
    t.same((byKey![1] as { list: unknown }).list, [], 'another kind of credential')
    const relogged = { ...mine.bob.principal, stamp: 'another' }
    const [byPassword] = await request([['PushSubscription/get', { ids: null }]], relogged)
    t.same((byPassword![1] as { list: unknown }).list, [], 'another password')
    t.equal((await mine.call('get', { ids: null }))[1].list.length, 1, 'control')
  })

  await t.test('invalid values are refused by name', async (t) => {
    const { create } = await client()
    const good = new PushClient().keys
    for (const [more, property] of [
      [{ url: 'http://push.example.com/' }, 'url'],
      [{ url: '/push' }, 'url'],
      [{ url: 'https://user:secret@push.example.com/' }, 'url'],
      [{ url: 'https://' }, 'url'],
      [{ verificationCode: 'x' }, 'verificationCode'],
      [{ keys: {} }, 'keys'],
      [{ keys: { ...good, auth: 'AAAA' } }, 'keys'],
      [{ keys: { ...good, p256dh: good.p256dh.slice(2) } }, 'keys'],
      [{ keys: { ...good, p256dh: Buffer.alloc(65, 4).toString('base64url') } }, 'keys'],
      [{ expires: date(clock.now() - 1_000) }, 'expires'],
      [{ deviceClientId: 7 }, 'deviceClientId'],
      [{ types: 'Email' }, 'types'],
      [{ colour: 'red' }, 'colour'],
    ] as const)
      t.match((await create(more)).notCreated, { s: { type: 'invalidProperties', properties: [property] } }, property)
    t.ok(
      (await create({ keys: { p256dh: `${good.p256dh}=`, auth: `${good.auth}==` } })).created,
      'padding does no harm',
    )
  })

  await t.test('url, keys and deviceClientId cannot be changed', async (t) => {
    const { call, create } = await client()
    const { id } = (await create({})).created.s
    for (const patch of [{ url: 'https://push.example.com/2' }, { keys: null }, { deviceClientId: 'e' }]) {
      const [, answer] = await call('set', { update: { [id]: patch } })
      t.match(answer.notUpdated, { [id]: { type: 'invalidProperties', properties: Object.keys(patch) } })
    }
  })

  await t.test('without an end, or with one too late, it ends in seven days; it can be extended', async (t) => {
    const { call, create } = await client()
    const longest = date(clock.now() + PUSH_SUBSCRIPTION_LIFETIME_MS)
    t.ok(PUSH_SUBSCRIPTION_LIFETIME_MS >= 7 * DAY_MS)
    t.equal((await create({})).created.s.expires, longest)
    t.equal((await create({ expires: date(clock.now() + 90 * DAY_MS) })).created.s.expires, longest)
    const soon = date(clock.now() + DAY_MS)
    const { id, ...differing } = (await create({ expires: soon })).created.s
    t.notHas(differing, { expires: String }, 'as the client sent it')
    const [, got] = await call('get', { ids: [id], properties: ['expires'] })
    t.match(got.list, [{ id, expires: soon }])
    const [, far] = await call('set', { update: { [id]: { expires: date(clock.now() + 30 * DAY_MS) } } })
    t.same(far.updated, { [id]: { expires: longest } })
    const [, near] = await call('set', { update: { [id]: { expires: date(clock.now() + 2 * DAY_MS) } } })
    t.same(near.updated, { [id]: null })
  })

  await t.test('the expiry of a key alone bounds its subscriptions', async (t) => {
    const { principal } = await key({ scopes: ['mailboxes:read'], expiresAt: date(clock.now() + 90 * DAY_MS) })
    const far = date(clock.now() + 60 * DAY_MS)
    const create = {
      a: { deviceClientId: 'd', url: URL },
      b: { deviceClientId: 'd', url: URL, expires: far },
    }
    const [answer] = await request([['PushSubscription/set', { create }]], principal)
    t.match(answer![1], { created: { a: { expires: null } } })
    const { b } = (answer![1] as { created: { b: { id: string } } }).created
    const get = { ids: [b.id], properties: ['expires'] }
    const [got] = await request([['PushSubscription/get', get]], principal)
    t.match(got![1], { list: [{ id: b.id, expires: far }] })
  })

  await t.test(
    'the number of subscriptions, and of those created within an hour, is limited for a client',
    async (t) => {
      const { call, create } = await client()
      const ids: string[] = []
      for (let i = 0; i < PUSH_SUBSCRIPTIONS_MAX; i++) ids.push((await create({})).created.s.id)
      t.match((await create({})).notCreated, { s: { type: 'overQuota' } })
      await call('set', { destroy: ids })
      for (let i = ids.length; i < PUSH_SUBSCRIPTIONS_PER_HOUR; i++)
        await call('set', { destroy: [(await create({})).created.s.id] })
      t.match((await create({})).notCreated, { s: { type: 'rateLimit' } })
      clock.advance(3_600_000)
      t.ok((await create({})).created)
    },
  )

  await t.test('a destroyed subscription leaves neither its URL nor its keys', async (t) => {
    const { bob, call, create } = await client()
    const { id } = (await create({ url: 'https://push.example.com/secret-path' })).created.s
    t.same((await call('set', { destroy: [id] }))[1].destroyed, [id])
    t.same(await store.read((reader) => listPushSubscriptions(reader, bob.account)), [])
  })

  await t.test('it belongs to no account: no state changes', async (t) => {
    const { bob, create } = await client()
    const before = await bob.call('Email/get', { ids: [] })
    await create({})
    t.equal((await bob.call('Email/get', { ids: [] })).state, before.state)
  })
})
