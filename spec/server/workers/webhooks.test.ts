/** spec/contract.tsv, Events, Delivery and retry, Signature verification; decision D24; promises W1, W2. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import {
  WEBHOOK_CONCURRENCY_EACH,
  WEBHOOK_CONCURRENCY_FAILING,
  WEBHOOK_DELIVERY_LIFETIME_MS,
  WEBHOOK_FAILING_MS,
  WEBHOOK_LEASE_MS,
  WEBHOOK_REQUEST_MS,
  WEBHOOK_RETRY_MS,
  WEBHOOK_SECRET_GRACE_MS,
} from '../../../server/base/webhook-limits.ts'
import { mail } from '../../jmap/mails.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  type Answering,
  answering,
  type Posted,
  RECEIVER_NAME,
  startReceiver,
  startWebhookWorker,
  taking,
} from '../../support/webhooks.ts'

const MINUTE = 60_000

/** A receiver's verification of a signature, written from the contract. */
function signature(secret: string, { headers, body }: Posted): string {
  return createHmac('sha256', secret).update(`v1=${headers['x-service-timestamp']}\n${body}`).digest('hex')
}

await forEachEngine(t, async (t, engine) => {
  const test = await startCore(t, engine)
  const { core, clock, request, organizationWith } = test
  const receiver = await startReceiver(t)
  const worker = startWebhookWorker(t, test, receiver)
  const answers = new Map<string, Answering>()
  receiver.answer = (posted, response) => (answers.get(posted.path) ?? taking)(posted, response)
  let made = 0

  /** A new organization with a webhook, so that tests do not share state. */
  const start = async (answer: Answering, events: readonly string[] = ['message.received'], host = RECEIVER_NAME) => {
    const path = `/${++made}`
    const organization = await organizationWith(`hook${made}.test`)
    const call = async (name: string, args: JsonObject = {}): Promise<Result> =>
      (await request([[name, { accountId: organization.accountId, ...args }]]))[0]![1]
    answers.set(path, answer)
    const url = `https://${host}:${receiver.port}${path}`
    const { created } = await call('Webhook/set', { create: { w: { url, events } } })
    const { id, secret } = created.w
    let box: Awaited<ReturnType<typeof organization.mailbox>> | null = null
    return {
      ...organization,
      path,
      id: id as string,
      secret: secret as string,
      call,
      answer: (next: Answering) => void answers.set(path, next),
      posted: () => receiver.posted.filter((one) => one.path === path),
      webhook: async () => (await call('Webhook/get', { ids: [id] })).list[0],
      change: (patch: object) => call('Webhook/set', { update: { [id]: patch as JsonObject } }),
      deliveries: async (): Promise<Result[]> =>
        (await call('WebhookDelivery/get', { ids: null })).list.toSorted((a: Result, b: Result) =>
          a.id < b.id ? -1 : 1,
        ),
      async receive(subject = 'Hi') {
        box ??= await organization.mailbox('hello')
        const emailId = await box.receive(mail({ subject, from: 'Ada <ada@example.org>', to: box.address }))
        await worker.settled()
        return { emailId, mailboxId: box.accountId }
      },
      /** Subjects of the mail to the owner. */
      async letters(): Promise<string[]> {
        const queued = await core.claimSubmissions('letters', 100, 1)
        const own = queued.filter(({ organization: of }) => of === organization.account)
        return own.map(({ bytes }) => /^Subject: (.*)\r$/m.exec(Buffer.from(bytes).toString())![1]!).sort()
      },
      async pass(ms: number) {
        clock.advance(ms)
        await worker.settled()
      },
    }
  }

  t.test('an event is posted in the envelope of the contract, and its delivery is recorded', async (t) => {
    const hook = await start(answering(200, 'thanks'))
    const { emailId, mailboxId } = await hook.receive('Lunch')
    const [posted] = hook.posted()
    t.match(posted!.headers, { 'content-type': 'application/json', 'x-service-timestamp': /^\d+$/ })
    t.same(posted!.event, {
      event_id: posted!.event.event_id,
      event_type: 'message.received',
      created_at: new Date(clock.now()).toISOString(),
      data: {
        message_id: emailId,
        mailbox_id: mailboxId,
        from: 'ada@example.org',
        to: ['hello@hook1.test'],
        subject: 'Lunch',
      },
    })
    t.match(posted!.event.event_id, /^evt_/)
    const [{ id }] = await hook.deliveries()
    const { list } = await hook.call('WebhookDelivery/get', {
      ids: [id],
      properties: ['eventId', 'status', 'attempts', 'lastStatusCode', 'lastError', 'requestBody', 'responseBody'],
    })
    t.match(list, [
      {
        eventId: posted!.event.event_id,
        status: 'delivered',
        attempts: 1,
        lastStatusCode: 200,
        lastError: null,
        requestBody: posted!.body,
        responseBody: 'thanks',
      },
    ])
  })

  t.test('only subscribed and active webhooks get events, and only of their own organization', async (t) => {
    const other = await start(taking, ['message.sent'])
    const hook = await start(taking)
    await other.receive()
    t.same(await other.deliveries(), [])
    await hook.receive()
    t.equal(hook.posted().length, 1, 'control')
    t.equal(other.posted().length, 0)
    await hook.change({ active: false })
    await hook.receive()
    t.equal((await hook.deliveries()).length, 1)
    await hook.change({ active: true, events: ['message.bounced'] })
    await hook.receive()
    t.equal((await hook.deliveries()).length, 1)
  })

  t.test('each delivery is signed; with another octet, secret or time the signature is wrong', async (t) => {
    const hook = await start(taking)
    await hook.receive()
    const posted = hook.posted()[0]!
    const right = posted.headers['x-service-signature']
    t.equal(signature(hook.secret, posted), right)
    t.match(right, /^[0-9a-f]{64}$/)
    t.equal(Number(posted.headers['x-service-timestamp']), Math.floor(clock.now() / 1000))
    t.notOk('x-service-signature-previous' in posted.headers)
    const { body, headers } = posted
    for (let at = 0; at < body.length; at += 7) {
      const mutated = body.slice(0, at) + String.fromCharCode(body.charCodeAt(at) ^ 1) + body.slice(at + 1)
      t.not(signature(hook.secret, { ...posted, body: mutated }), right)
    }
    t.not(signature(`${hook.secret.slice(0, -1)}!`, posted), right)
    t.not(signature(hook.secret, { ...posted, headers: { ...headers, 'x-service-timestamp': '1' } }), right)
  })

  t.test('for 24 hours after a rotation both secrets sign, and of three only the newer two', async (t) => {
    const hook = await start(taking)
    const rotate = async () => (await hook.call('Webhook/rotateSecret', { webhookId: hook.id })) as Result
    const first = await rotate()
    t.match(first.secret, /^whsec_[A-Za-z0-9_-]{43}$/)
    t.equal(Date.parse(first.previousSecretExpiresAt), clock.now() + WEBHOOK_SECRET_GRACE_MS)
    const signedBy = async () => {
      await hook.receive()
      const posted = hook.posted().at(-1)!
      const { 'x-service-signature': current, 'x-service-signature-previous': previous } = posted.headers
      return [current, previous].map((given) =>
        [hook.secret, first.secret, second?.secret].findIndex((one) => one && signature(one, posted) === given),
      )
    }
    let second: Result = null
    t.same(await signedBy(), [1, 0])
    await hook.pass(MINUTE)
    second = await rotate()
    t.same(await signedBy(), [2, 1])
    await hook.pass(WEBHOOK_SECRET_GRACE_MS - 1)
    t.same(await signedBy(), [2, 1])
    await hook.pass(1)
    t.same(await signedBy(), [2, -1])
  })

  t.test('a delivery that fails is tried 5 times after 1, 5, 30 minutes and 4 hours, signed each time', async (t) => {
    const hook = await start(answering(503, 'busy'))
    await hook.receive()
    for (const wait of WEBHOOK_RETRY_MS) {
      const count = hook.posted().length
      const [delivery] = await hook.deliveries()
      const due = Date.parse(delivery.nextAttemptAt) - clock.now()
      t.match(delivery, { status: 'pending', attempts: count, lastStatusCode: 503, lastError: /503/ })
      t.ok(Math.abs(due - wait) <= wait / 10, `${due} ms are about ${wait}`)
      await hook.pass(due - 1)
      t.equal(hook.posted().length, count)
      await hook.pass(1)
      t.equal(hook.posted().length, count + 1)
    }
    const posted = hook.posted()
    t.equal(new Set(posted.map(({ body }) => body)).size, 1)
    t.equal(new Set(posted.map(({ headers }) => headers['x-service-timestamp'])).size, 5)
    for (const one of posted) t.equal(one.headers['x-service-signature'], signature(hook.secret, one))
    t.match(await hook.deliveries(), [{ status: 'failed', attempts: 5, nextAttemptAt: null, deliveredAt: null }])
    await hook.pass(24 * 60 * MINUTE)
    t.equal(hook.posted().length, 5)
    t.match(await hook.webhook(), { active: true }, 'one that failed is not enough')
  })

  t.test('temporary failures are errors, redirects, a broken connection and no answer in 15 s', async (t) => {
    const away = answering(307, '', { location: `https://${RECEIVER_NAME}:${receiver.port}/away` })
    const cut: Answering = (_posted, response) => void response.socket!.destroy()
    for (const answer of [answering(500), answering(404), answering(429, '', { 'retry-after': '1' }), away, cut]) {
      const hook = await start(answer)
      await hook.receive()
      t.match(await hook.deliveries(), [{ status: 'pending', attempts: 1, lastError: /./ }])
      hook.answer(taking)
      await hook.pass(2 * MINUTE)
      t.match(await hook.deliveries(), [{ status: 'delivered', attempts: 2, lastError: null }])
    }
    t.notOk(receiver.posted.some(({ path }) => path === '/away'))
    const stalled = Promise.withResolvers<void>()
    const hook = await start(() => stalled.resolve())
    const box = await hook.mailbox('hello')
    await box.receive(mail({ to: box.address }))
    await stalled.promise
    hook.answer(taking)
    await hook.pass(WEBHOOK_REQUEST_MS)
    t.match(await hook.deliveries(), [{ status: 'pending', attempts: 1, lastStatusCode: null, lastError: /15000 ms/ }])
  })

  t.test('an answer is read up to a limit; its status decides', async (t) => {
    const hook = await start((_posted, response) => {
      response.writeHead(200)
      response.write('x'.repeat(200_000))
    })
    await hook.receive()
    const [{ id, ...delivery }] = await hook.deliveries()
    t.match(delivery, { status: 'delivered', attempts: 1 })
    const { list } = await hook.call('WebhookDelivery/get', { ids: [id], properties: ['responseBody'] })
    t.equal(list[0].responseBody, 'x'.repeat(4_096))
  })

  t.test('410 ends the delivery and switches the webhook off at once', async (t) => {
    const hook = await start(answering(410))
    await hook.receive()
    t.match(await hook.deliveries(), [{ status: 'failed', attempts: 1, lastStatusCode: 410 }])
    t.match(await hook.webhook(), { active: false })
  })

  t.test('a certificate of another name is a permanent failure', async (t) => {
    const hook = await start(taking, ['message.received'], 'other.example.org')
    await hook.receive()
    t.match(await hook.deliveries(), [{ status: 'failed', attempts: 1, lastStatusCode: null, lastError: /cert/i }])
    t.equal(hook.posted().length, 0)
  })

  t.test(
    'three failed deliveries in a row switch a webhook off and fail what waits; a success resets the count',
    async (t) => {
      const hook = await start(answering(500))
      const fail = async () => {
        await hook.receive()
        for (const wait of WEBHOOK_RETRY_MS) await hook.pass(wait * 1.1)
      }
      await fail()
      await fail()
      hook.answer(taking)
      await hook.receive()
      hook.answer(answering(500))
      await fail()
      await fail()
      t.match(await hook.webhook(), { active: true })
      await hook.receive('last')
      for (const wait of WEBHOOK_RETRY_MS.slice(0, 3)) await hook.pass(wait * 1.1)
      await hook.receive('waits')
      t.match((await hook.deliveries()).at(-1), { status: 'pending', attempts: 1 })
      await hook.pass(10 * MINUTE)
      hook.answer(answering(500))
      await hook.pass(WEBHOOK_RETRY_MS[3]! * 1.1)
      t.match(await hook.webhook(), { active: false })
      t.match((await hook.deliveries()).at(-1), {
        status: 'failed',
        lastError: 'webhook_disabled',
        nextAttemptAt: null,
      })
      const count = hook.posted().length
      await hook.receive()
      await hook.pass(24 * 60 * MINUTE)
      t.equal(hook.posted().length, count)
      await hook.change({ active: true })
      await fail()
      t.match(await hook.webhook(), { active: true }, 'the failures so far are forgotten')
      t.same(await hook.letters(), ['A webhook fails', 'A webhook fails', 'A webhook was switched off'])
    },
  )

  t.test('a test event is sent regardless of subscriptions, also to a webhook that is switched off', async (t) => {
    const hook = await start(taking, ['org.sending_suspended'])
    await hook.change({ active: false })
    const { eventId, deliveryId } = await hook.call('Webhook/test', { webhookId: hook.id })
    await worker.settled()
    const posted = hook.posted()[0]!
    const now = new Date(clock.now()).toISOString()
    t.same(posted.event, {
      event_id: eventId,
      event_type: 'webhook.test',
      created_at: now,
      data: { webhook_id: hook.id, message: 'Test event', triggered_at: now },
    })
    t.equal(posted.headers['x-service-signature'], signature(hook.secret, posted))
    t.match(await hook.deliveries(), [{ id: deliveryId, status: 'delivered', eventType: 'webhook.test' }])
  })

  t.test('a delivery can be repeated, which makes another record of the same event', async (t) => {
    const hook = await start(answering(410))
    await hook.receive()
    const [{ id }] = await hook.deliveries()
    const replay = () => hook.call('WebhookDelivery/replay', { webhookId: hook.id, deliveryId: id })
    t.match(await replay(), { type: 'forbidden' })
    await hook.change({ active: true })
    hook.answer(taking)
    const again = await replay()
    await worker.settled()
    t.equal(hook.posted()[0]!.body, hook.posted()[1]!.body)
    const all = await hook.deliveries()
    t.match(all, [
      { id, status: 'failed' },
      { id: again.deliveryId, status: 'delivered', eventId: all[0].eventId },
    ])
  })

  t.test('a receiver that stalls delays no other, and gets a few attempts at a time', async (t) => {
    const stalled = await start(() => {})
    const box = await stalled.mailbox('hello')
    for (let i = 0; i < 3 * WEBHOOK_CONCURRENCY_EACH; i++) await box.receive(mail({ to: box.address }))
    const hook = await start(taking)
    const other = await hook.mailbox('hello')
    const arrived = Promise.withResolvers<void>()
    hook.answer((posted, response) => {
      taking(posted, response)
      arrived.resolve()
    })
    await other.receive(mail({ to: other.address }))
    await arrived.promise
    t.ok(stalled.posted().length <= WEBHOOK_CONCURRENCY_EACH)
    t.equal((await stalled.deliveries()).length, 3 * WEBHOOK_CONCURRENCY_EACH)
    await stalled.change({ active: false })
    await stalled.pass(WEBHOOK_REQUEST_MS)
    t.match(await stalled.deliveries(), Array(3 * WEBHOOK_CONCURRENCY_EACH).fill({ lastError: 'webhook_disabled' }))
  })

  for (const [later, most] of [
    [0, WEBHOOK_CONCURRENCY_FAILING],
    [WEBHOOK_FAILING_MS, WEBHOOK_CONCURRENCY_EACH],
  ] as const)
    t.test(`${later / MINUTE} minutes after an attempt that failed there are ${most} at a time`, async (t) => {
      const hook = await start(answering(500))
      await hook.receive()
      await hook.pass(1.2 * MINUTE)
      await hook.pass(5.6 * MINUTE)
      t.equal(hook.posted().length, 3, 'and the next one is in half an hour')
      await hook.pass(later)
      const started = Promise.withResolvers<void>()
      hook.answer(() => {
        if (hook.posted().length === 3 + most) started.resolve()
      })
      const box = await hook.mailbox('second')
      for (let i = 0; i < 2 * WEBHOOK_CONCURRENCY_EACH; i++) await box.receive(mail({ to: box.address }))
      await started.promise
      // What arrives for another is claimed after these.
      const other = await start(taking)
      const arrived = Promise.withResolvers<void>()
      other.answer((posted, response) => {
        taking(posted, response)
        arrived.resolve()
      })
      const otherBox = await other.mailbox('hello')
      await otherBox.receive(mail({ to: otherBox.address }))
      await arrived.promise
      t.equal(hook.posted().length, 3 + most)
      await hook.change({ active: false })
      await hook.pass(WEBHOOK_REQUEST_MS)
    })

  t.test(
    'a delivery of a dead worker is made again after its lease ends, and a late report changes nothing',
    async (t) => {
      const hook = await start(taking)
      await worker.stop()
      const box = await hook.mailbox('hello')
      await box.receive(mail({ to: box.address }))
      const room = { each: 10, others: [] }
      const claim = async (owner: string) =>
        (await core.webhooks.claim(owner, 10, WEBHOOK_LEASE_MS, room)).filter(
          (one) => one.organization === hook.account,
        )
      const [dead] = await claim('dead')
      t.match(dead, { url: `https://${RECEIVER_NAME}:${receiver.port}${hook.path}` })
      t.same(await claim('other'), [])
      clock.advance(WEBHOOK_LEASE_MS)
      const [living] = await claim('other')
      t.equal(living!.body, dead!.body)
      const report = (lease: string, result: 'delivered' | 'gone') =>
        core.webhooks.report({ ...living!, lease, result, status: 200, error: null, answer: null })
      await report(dead!.lease, 'gone')
      t.match(await hook.deliveries(), [{ status: 'pending', attempts: 0 }])
      await report(living!.lease, 'delivered')
      t.match(await hook.deliveries(), [{ status: 'delivered', attempts: 1 }])
      t.match(await hook.webhook(), { active: true })
      worker.start()
    },
  )

  t.test('a deleted webhook gets nothing more; records are removed after 30 days, their events after 60', async (t) => {
    const hook = await start(answering(500))
    await hook.receive()
    const { newState } = await hook.call('Webhook/set', { destroy: [hook.id] })
    t.match(await hook.deliveries(), [{ status: 'failed', lastError: 'webhook_deleted' }])
    await hook.pass(2 * MINUTE)
    t.equal(hook.posted().length, 1)
    const { newState: state } = await hook.call('WebhookDelivery/changes', { sinceState: '0' })
    t.ok(newState && state)
    await hook.pass(WEBHOOK_DELIVERY_LIFETIME_MS - 2 * MINUTE)
    await core.maintenance.run()
    t.equal((await hook.deliveries()).length, 1)
    await hook.pass(1)
    await core.maintenance.run()
    t.same(await hook.deliveries(), [])
    t.match(await hook.call('WebhookDelivery/changes', { sinceState: state }), { destroyed: [/^whd_/] })
  })
})
