import { get } from 'node:http'
import t, { type Test } from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { EVENT_SOURCES_MAX, PUSH_RENEW_MS } from '../../../server/base/push-limits.ts'
import { updateAccount } from '../../../storage/repos/accounts.ts'
import { eventStream } from '../../support/event-stream.ts'
import { basic, startHttp, type TestHttp } from '../../support/http-server.ts'

const MAIL = 'From: a@example.org\nSubject: Hi\n\nHi\n'
const ALL = '/jmap/eventsource?types=*&closeafter=no&ping=0'

function open(t: Test, { ask }: TestHttp, path = ALL, headers: Record<string, string> = {}) {
  return ask(path, { headers }).then((response) => eventStream(t, response))
}

t.test('events', async (t) => {
  const http = await startHttp(t)
  const { alice, ask, mailbox } = http

  t.test('the session has the URL as a template with the three variables', async (t) => {
    const { eventSourceUrl } = (await (await ask('/jmap/session')).json()) as { eventSourceUrl: string }
    t.match(eventSourceUrl, http.url)
    for (const variable of ['{types}', '{closeafter}', '{ping}']) t.ok(eventSourceUrl.includes(variable), variable)
  })

  t.test('a delivery is reported as a StateChange with the states of /get', async (t) => {
    const stream = await open(t, http)
    t.equal(stream.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    await alice.receive(MAIL)
    const told = await stream.nextEvent()
    const { state } = await alice.call('Email/get', { ids: [] })
    const mailboxes = await alice.call('Mailbox/get', { ids: [] })
    const threads = await alice.call('Thread/get', { ids: [] })
    t.match(told, {
      event: 'state',
      data: {
        '@type': 'StateChange',
        changed: { [alice.accountId]: { Email: state, Mailbox: mailboxes.state, Thread: threads.state } },
      },
    })
  })

  t.test('an import is reported', async (t) => {
    const uploaded = await ask(`/jmap/upload/${alice.accountId}`, {
      method: 'POST',
      body: MAIL.replaceAll('\n', '\r\n'),
    })
    const { blobId } = (await uploaded.json()) as { blobId: string }
    const stream = await open(t, http)
    const emails = { i: { blobId, mailboxIds: { [alice.roles['inbox']!]: true } } }
    const { created } = await alice.call('Email/import', { emails })
    t.ok(created.i)
    const told = await stream.nextEvent()
    t.match(told?.data.changed[alice.accountId], { Email: String, EmailDelivery: String })
  })

  t.test('a set is reported; the state of EmailDelivery changes with new emails only', async (t) => {
    const id = await alice.receive(MAIL)
    const stream = await open(t, http)
    await alice.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } })
    const told = await stream.nextEvent()
    t.ok(told?.data.changed[alice.accountId].Email)
    t.notOk(told?.data.changed[alice.accountId].EmailDelivery)
    await alice.receive(MAIL)
    t.ok((await stream.nextEvent())?.data.changed[alice.accountId].EmailDelivery)
  })

  t.test('only requested types are reported', async (t) => {
    const stream = await open(t, http, '/jmap/eventsource?types=Thread,Calendar&closeafter=no&ping=0')
    const id = await alice.receive(MAIL)
    const first = await stream.nextEvent()
    t.same(Object.keys(first?.data.changed[alice.accountId]), ['Thread'])
    // Email and Mailbox alone are not reported: the next event is of the next delivery.
    await alice.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } })
    await alice.receive(MAIL)
    const second = await stream.nextEvent()
    const { state } = await alice.call('Thread/get', { ids: [] })
    t.same(second?.data.changed, { [alice.accountId]: { Thread: state } })
  })

  t.test('with closeafter=state the response ends after the first event', async (t) => {
    const stream = await open(t, http, '/jmap/eventsource?types=*&closeafter=state&ping=0')
    await alice.receive(MAIL)
    t.equal((await stream.nextEvent())?.event, 'state')
    t.equal(await stream.next(), null)
  })

  t.test('accounts of others are not reported', async (t) => {
    const bob = await mailbox('bob')
    const stream = await open(t, http)
    await bob.receive(MAIL)
    await alice.receive(MAIL)
    t.same(Object.keys((await stream.nextEvent())?.data.changed), [alice.accountId])
    const his = await open(t, http, ALL, { Authorization: basic(bob.address, 'Secret123') })
    await bob.receive(MAIL)
    t.same(Object.keys((await his.nextEvent())?.data.changed), [bob.accountId], 'control')
  })

  t.test('an API key gets events of the types that its scopes can read, in each of its accounts', async (t) => {
    const { key } = await http.key({ scopes: ['mailboxes:read', 'domains:read'] })
    const stream = await open(t, http, ALL, { Authorization: `Bearer ${key}` })
    await alice.receive(MAIL)
    const told = (await stream.nextEvent())?.data.changed[alice.accountId]
    t.ok(told.Mailbox)
    t.notOk('Email' in told)
    t.notOk('EmailDelivery' in told)
  })
})

t.test('a client that reconnects', async (t) => {
  const http = await startHttp(t)
  const { alice } = http

  t.test('gets missed changes at once', async (t) => {
    const stream = await open(t, http)
    await alice.receive(MAIL)
    await stream.nextEvent()
    await stream.close()
    const id = await alice.receive(MAIL)
    await alice.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } })
    const again = await open(t, http, ALL, { 'Last-Event-ID': stream.lastId })
    const { state } = await alice.call('Email/get', { ids: [] })
    t.equal((await again.nextEvent())?.data.changed[alice.accountId].Email, state)
  })

  t.test('misses nothing even if it was disconnected before its first event', async (t) => {
    const stream = await open(t, http)
    t.match(await stream.next(), { event: null, id: /^\S+$/ })
    await stream.close()
    await alice.receive(MAIL)
    const again = await open(t, http, ALL, { 'Last-Event-ID': stream.lastId })
    t.ok((await again.nextEvent())?.data.changed[alice.accountId].Email)
  })

  t.test('gets only changed types, and nothing without changes', async (t) => {
    const stream = await open(t, http)
    await stream.next()
    await stream.close()
    const quiet = await open(t, http, ALL, { 'Last-Event-ID': stream.lastId })
    t.match(await quiet.next(), { event: null })
    await alice.call('Mailbox/set', { create: { m: { name: 'New' } } })
    t.same(Object.keys((await quiet.nextEvent())?.data.changed[alice.accountId]), ['Mailbox'])
    const again = await open(t, http, ALL, { 'Last-Event-ID': stream.lastId })
    t.same(Object.keys((await again.nextEvent())?.data.changed[alice.accountId]), ['Mailbox'])
  })

  t.test('gets everything with an id that this server did not write', async (t) => {
    for (const id of ['nonsense', 'a!!', 'g', 'x'.repeat(5_000), 'a_____w']) {
      const stream = await open(t, http, ALL, { 'Last-Event-ID': id })
      t.match(
        (await stream.nextEvent())?.data.changed[alice.accountId],
        { Email: String, Mailbox: String },
        id.slice(0, 9),
      )
      await stream.close()
    }
  })

  t.test('in closeafter mode gets missed changes and the end', async (t) => {
    const stream = await open(t, http)
    await stream.next()
    await stream.close()
    await alice.receive(MAIL)
    const path = '/jmap/eventsource?types=*&closeafter=state&ping=0'
    const again = await open(t, http, path, { 'Last-Event-ID': stream.lastId })
    t.equal((await again.nextEvent())?.event, 'state')
    t.equal(await again.next(), null)
  })
})

t.test('pings', async (t) => {
  const clock = new ManualClock()
  const http = await startHttp(t, { clock })

  t.test('are sent after the requested silence, with the interval and without an id', async (t) => {
    const stream = await open(t, http, '/jmap/eventsource?types=*&closeafter=no&ping=60')
    t.match(await stream.next(), { event: null })
    clock.advance(60_000)
    t.same(await stream.next(), { event: 'ping', id: null, data: { interval: 60 } })
    clock.advance(60_000)
    t.same(await stream.next(), { event: 'ping', id: null, data: { interval: 60 } })
  })

  t.test('too short and too long intervals are moved into the allowed range', async (t) => {
    for (const [asked, interval] of [
      [1, 5],
      [30, 30],
      [300, 300],
      [100_000, 900],
    ] as const) {
      const stream = await open(t, http, `/jmap/eventsource?types=*&closeafter=no&ping=${asked}`)
      await stream.next()
      clock.advance(interval * 1_000)
      t.same((await stream.next())?.data, { interval })
      await stream.close()
    }
  })

  t.test('are not sent with interval 0', async (t) => {
    const stream = await open(t, http)
    await stream.next()
    clock.advance(3_600_000)
    await http.alice.receive(MAIL)
    clock.advance(1_000)
    t.equal((await stream.nextEvent())?.event, 'state')
  })
})

t.test('an event source ends', async (t) => {
  t.test('when its API key is revoked', async (t) => {
    const http = await startHttp(t)
    const { id, key } = await http.key({ scopes: ['mailboxes:read'] })
    const stream = await open(t, http, ALL, { Authorization: `Bearer ${key}` })
    await http.alice.call('Mailbox/set', { create: { m: { name: 'New' } } })
    t.equal((await stream.nextEvent())?.event, 'state', 'control')
    await http.request([['ApiKey/set', { accountId: http.organization.accountId, destroy: [id] }]])
    t.equal(await stream.nextEvent(), null)
  })

  t.test('when the password of its mailbox changes', async (t) => {
    const http = await startHttp(t)
    const { accountId } = http.organization
    const stream = await open(t, http)
    await stream.next()
    await http.request([['MailAccount/set', { accountId, update: { [http.alice.accountId]: { name: 'Alice' } } }]])
    await http.alice.receive(MAIL)
    t.equal((await stream.nextEvent())?.event, 'state', 'control: another change leaves it')
    await http.request([
      ['MailAccount/set', { accountId, update: { [http.alice.accountId]: { password: 'Another123' } } }],
    ])
    // The mail about the new password may come first.
    const last = [await stream.nextEvent(), await stream.nextEvent()]
    t.equal(last.at(-1), null)
  })

  for (const whose of ['account', 'organization']) {
    t.test(
      `within 30 seconds when its ${whose} is suspended without a notification, and does not begin then`,
      async (t) => {
        const clock = new ManualClock()
        const http = await startHttp(t, { clock })
        const suspended = whose === 'account' ? http.alice.account : http.organization.account
        const stream = await open(t, http)
        await stream.next()
        t.ok(PUSH_RENEW_MS < 30_000)
        await http.store.write([], (unit) => updateAccount(unit, suspended, { suspended_at: 1 }))
        clock.advance(PUSH_RENEW_MS)
        t.equal(await stream.nextEvent(), null)
        t.equal((await http.ask(ALL)).status, 403)
        await http.store.write([], (unit) => updateAccount(unit, suspended, { suspended_at: null }))
        t.equal((await open(t, http)).response.status, 200)
      },
    )
  }

  t.test('when the server stops', async (t) => {
    const http = await startHttp(t)
    const stream = await open(t, http)
    await stream.next()
    await http.listener.stop()
    t.equal(await stream.next(), null)
  })
})

t.test('refusals', async (t) => {
  const { ask, url, login } = await startHttp(t)

  t.test('invalid arguments', async (t) => {
    t.equal((await ask('/jmap/eventsource?types=*&closeafter=never&ping=0')).status, 400)
    t.equal((await ask('/jmap/eventsource?types=*&closeafter=no&ping=-1')).status, 400)
  })

  t.test('a client without credentials', async (t) => {
    t.equal((await fetch(url + ALL)).status, 401)
  })

  t.test('more connections than the limit of a client, until one of them ends', async (t) => {
    const requests = Array.from({ length: EVENT_SOURCES_MAX }, () =>
      get(url + ALL, { agent: false, headers: { Authorization: login } }),
    )
    t.teardown(() => {
      for (const request of requests) request.destroy()
    })
    await Promise.all(requests.map((request) => new Promise((resolve) => request.on('response', resolve))))
    t.equal((await ask(ALL)).status, 429)
  })
})
