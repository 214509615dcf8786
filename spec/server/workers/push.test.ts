import t from 'tap'
import { Email } from '../../../jmap/mail/email/email.type.ts'
import {
  PUSH_GATHER_MS,
  PUSH_LEASE_MS,
  PUSH_RECHECK_MS,
  PUSH_RETRY_MS,
  PUSH_SLOW_MIN_MS,
  PUSH_VERIFY_MS,
} from '../../../server/base/push-limits.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startPushDelivery, startPushWorker } from '../../support/push-delivery.ts'
import { PushClient, readVapid } from '../../support/push-service.ts'

const MAIL = 'From: a@example.org\nSubject: Hi\n\nHi\n'

await forEachEngine(t, async (t, engine) => {
  const started = await startPushDelivery(t, engine)
  const { alice, service, call, subscribe, pass, clock, mailbox, core, request, organization, store } = started
  /** Changes after this are not gathered with those before. */
  const receive = async (account = alice) => {
    const id = await account.receive(MAIL)
    await started.worker.settled()
    clock.advance(PUSH_GATHER_MS)
    return id
  }
  /** The next push, after the worker has reported it: a clock that advances before the report would delay the next one. */
  const next = async () => {
    const push = await service.next()
    await started.worker.settled()
    return push
  }
  const end = (id: string) => call('set', { destroy: [id] })

  await t.test('a new subscription gets its verification code, and nothing else before it is verified', async (t) => {
    const client = new PushClient()
    const create = { s: { deviceClientId: 'd', url: `${service.url}/v`, keys: client.keys } }
    const { id } = (await call('set', { create })).created.s
    const push = await next()
    t.match(push, { path: '/v', headers: { 'content-type': 'application/json', ttl: /^\d+$/, urgency: 'normal' } })
    const verification = client.open(push)
    t.match(verification, { '@type': 'PushVerification', pushSubscriptionId: id, verificationCode: String })
    const count = service.received.length
    await receive()
    clock.advance(PUSH_RECHECK_MS)
    const other = await subscribe()
    t.equal(service.received.length, count + 1, 'only the code of the other one came meanwhile')
    const { verificationCode } = verification
    await call('set', { update: { [id]: { verificationCode } } })
    const change = client.open(await next())
    t.equal(change['@type'], 'StateChange', 'with what changed since the subscription was created')
    t.ok(change.changed[alice.accountId].Email)
    await end(id)
    await end(other.id)
  })

  await t.test('a delivery, an import and a set are pushed with the states of /get', async (t) => {
    const { id, client } = await subscribe({ types: [Email.name] })
    const email = await receive()
    const stateNow = async () => (await alice.call('Email/get', { ids: [] })).state
    t.same(client.open(await next()), {
      '@type': 'StateChange',
      changed: { [alice.accountId]: { Email: await stateNow() } },
    })
    await pass()
    await alice.call('Email/set', { update: { [email]: { 'keywords/$seen': true } } })
    t.equal(client.open(await next()).changed[alice.accountId].Email, await stateNow())
    await pass()
    const upload = await core.upload(
      alice.principal,
      alice.accountId,
      'message/rfc822',
      Buffer.from(MAIL.replaceAll('\n', '\r\n')),
    )
    const emails = { i: { blobId: upload!.blobId, mailboxIds: { [alice.roles['inbox']!]: true } } }
    await alice.call('Email/import', { emails })
    t.equal(client.open(await next()).changed[alice.accountId].Email, await stateNow())
    await end(id)
  })

  await t.test('only the requested types are pushed', async (t) => {
    const { id, client } = await subscribe({ types: ['EmailDelivery'] })
    const all = await subscribe()
    const email = await receive()
    const [a, b] = [await next(), await next()]
    const [some, whole] = a.path === all.path ? [b, a] : [a, b]
    t.same(Object.keys(client.open(some).changed[alice.accountId]), ['EmailDelivery'])
    t.ok('Mailbox' in all.client.open(whole).changed[alice.accountId])
    await pass()
    await alice.call('Email/set', { update: { [email]: { 'keywords/$seen': true } } })
    t.equal((await next()).path, all.path, 'a flag is no delivery')
    await end(id)
    await end(all.id)
  })

  await t.test('changes in other accounts are not pushed', async (t) => {
    const bob = await mailbox('bob')
    const { id, client } = await subscribe()
    await receive(bob)
    await receive()
    t.same(Object.keys(client.open(await next()).changed), [alice.accountId])
    const his = await subscribe({}, bob.principal)
    await receive(bob)
    const push = await next()
    t.equal(push.path, his.path)
    t.same(Object.keys(his.client.open(push).changed), [bob.accountId], 'control')
    await end(id)
    await call('set', { destroy: [his.id] }, bob.principal)
  })

  await t.test('many changes make one push, and two pushes have a minimum distance', async (t) => {
    const { id, client } = await subscribe()
    await receive()
    await next()
    const count = service.received.length
    for (let i = 0; i < 5; i++) await receive()
    await pass()
    const { state } = await alice.call('Email/get', { ids: [] })
    t.equal(client.open(await next()).changed[alice.accountId].Email, state)
    t.equal(service.received.length, count + 1)
    await end(id)
  })

  await t.test('the server identifies itself with the key of the session object', async (t) => {
    const { id } = await subscribe()
    await receive()
    const { key, claims } = readVapid(await next())
    const session = (await core.session(alice.principal, 'https://mail.example.test')) as {
      capabilities: Record<string, Record<string, unknown>>
    }
    t.equal(key, session.capabilities['urn:ietf:params:jmap:webpush-vapid']!['applicationServerKey'])
    t.match(claims, { aud: service.url, sub: 'mailto:postmaster@example.test' })
    const lifetime = (claims['exp'] as number) - clock.now() / 1_000
    t.ok(lifetime > 0 && lifetime <= 86_400)
    await end(id)
  })

  await t.test('without keys the push is plain JSON', async (t) => {
    const create = { s: { deviceClientId: 'd', url: `${service.url}/plain` } }
    const { id } = (await call('set', { create })).created.s
    const { headers, body } = await next()
    t.match(headers, { 'content-type': 'application/json' })
    t.notOk(headers['content-encoding'])
    t.match(JSON.parse(body.toString()), { '@type': 'PushVerification', pushSubscriptionId: id })
    await end(id)
  })

  await t.test('a subscription that the push service no longer knows is removed', async (t) => {
    for (const status of [404, 410]) {
      const { id } = await subscribe()
      service.answers.push({ status })
      await receive()
      await next()
      await started.worker.settled()
      t.same((await call('get', { ids: [id] })).notFound, [id], String(status))
    }
  })

  await t.test(
    'a push that fails is tried again with growing delays, a limited number of times; the next change starts again',
    async (t) => {
      const { id, client } = await subscribe()
      service.answers.push(...PUSH_RETRY_MS.map(() => ({ status: 500 })), { status: 503 })
      await receive()
      await next()
      // Time since the first attempt.
      let moved = PUSH_GATHER_MS
      for (const wait of PUSH_RETRY_MS) {
        await started.worker.settled()
        const count = service.received.length
        clock.advance(wait - moved - 1)
        moved = 0
        await started.worker.settled()
        t.equal(service.received.length, count)
        clock.advance(1)
        await next()
      }
      await started.worker.settled()
      const count = service.received.length
      clock.advance(PUSH_RECHECK_MS)
      await started.worker.settled()
      t.equal(service.received.length, count, 'it was given up')
      await receive()
      t.ok(client.open(await next()).changed[alice.accountId].Email)
      await end(id)
    },
  )

  await t.test('after "too many" pushes are less frequent, at least as the service asks', async (t) => {
    const { id } = await subscribe()
    service.answers.push({ status: 429, headers: { 'Retry-After': '90' } })
    await receive()
    await next()
    await started.worker.settled()
    const count = service.received.length
    clock.advance(89_000)
    await started.worker.settled()
    t.equal(service.received.length, count)
    clock.advance(1_000)
    await next()
    await started.worker.settled()
    await receive()
    await started.worker.settled()
    clock.advance(PUSH_SLOW_MIN_MS - 1_000)
    await started.worker.settled()
    t.equal(service.received.length, count + 1, 'the pace stays slower')
    clock.advance(1_000)
    await next()
    await end(id)
  })

  await t.test('a redirect is not followed', async (t) => {
    const { id } = await subscribe()
    service.answers.push({ status: 307, headers: { Location: `${service.url}/elsewhere` } })
    await receive()
    await next()
    await started.worker.settled()
    t.notOk(service.received.some(({ path }) => path === '/elsewhere'))
    await end(id)
  })

  await t.test('an expired subscription gets nothing and is removed', async (t) => {
    const expires = new Date(clock.now() + 60_000).toISOString().replace('.000Z', 'Z')
    const { id } = await subscribe({ expires })
    const count = service.received.length
    clock.advance(60_000)
    await receive()
    await started.worker.settled()
    t.equal(service.received.length, count)
    t.same((await call('get', { ids: [id] })).notFound, [id])
  })

  await t.test('a subscription that is not verified is removed', async (t) => {
    const create = { s: { deviceClientId: 'd', url: `${service.url}/v` } }
    const { id } = (await call('set', { create })).created.s
    await next()
    await started.worker.settled()
    t.equal((await call('get', { ids: [id] })).list.length, 1)
    clock.advance(PUSH_VERIFY_MS)
    await started.worker.settled()
    t.same((await call('get', { ids: [id] })).notFound, [id])
  })

  await t.test('a subscription is removed when its API key expires', async (t) => {
    const expiresAt = new Date(clock.now() + 3_600_000).toISOString().replace('.000Z', 'Z')
    const made = await started.key({ scopes: ['mailboxes:read'], expiresAt })
    const { path } = await subscribe({}, made.principal)
    await receive()
    t.equal((await next()).path, path, 'control')
    clock.advance(3_600_000)
    const count = service.received.length
    await receive()
    await started.worker.settled()
    t.equal(service.received.length, count)
    t.same(await store.read((reader) => reader.sql.raw('select url from push_subscription')), [])
  })

  await t.test('a subscription is removed with its credential', async (t) => {
    const made = await started.key({ scopes: ['mailboxes:read'] })
    const keyed = await subscribe({}, made.principal)
    const carol = await mailbox('carol')
    const login = () =>
      core.authenticate({ kind: 'password', address: carol.address, password: 'Secret123', ip: '::1' })
    const hers = await subscribe({}, (await login())!)
    const count = service.received.length
    const { accountId } = organization
    await request([['ApiKey/set', { accountId, destroy: [made.id] }]])
    // Else the worker, which looks at both now, could find hers valid and then the change of the password to push.
    await started.worker.settled()
    await request([['MailAccount/set', { accountId, update: { [carol.accountId]: { password: 'Another123' } } }]])
    await started.worker.settled()
    await receive(carol)
    await started.worker.settled()
    t.equal(service.received.length, count, 'nothing is sent')
    const left = await store.read((reader) => reader.sql.raw('select url from push_subscription'))
    t.same(left, [], 'nor kept')
    t.ok(keyed.id && hers.id)
  })

  await t.test(
    'changes while no worker ran are pushed by the next worker, also those that a dead worker had claimed',
    async (t) => {
      const { id, client } = await subscribe()
      await started.worker.stop()
      await receive()
      await core.push.markDue(null)
      t.equal((await core.push.claim('dies', 10, PUSH_LEASE_MS)).length, 1)
      const other = startPushWorker(t, started, service)
      await other.settled()
      const count = service.received.length
      clock.advance(PUSH_LEASE_MS)
      t.ok(client.open(await next()).changed[alice.accountId].Email)
      await other.settled()
      t.equal(service.received.length, count + 1, 'once')
      await end(id)
    },
  )

  await t.test('each push goes to one of two workers', async (t) => {
    const first = startPushWorker(t, started, service)
    const second = startPushWorker(t, started, service)
    const settled = () => Promise.all([first.settled(), second.settled()])
    const { id } = await subscribe()
    await settled()
    clock.advance(2_000)
    await settled()
    clock.advance(PUSH_GATHER_MS)
    const count = service.received.length
    await receive()
    await next()
    await settled()
    t.equal(service.received.length, count + 1)
    await end(id)
  })
})
