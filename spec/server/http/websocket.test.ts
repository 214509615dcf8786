import t, { type Test } from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { PUSH_RENEW_MS, WEBSOCKET_PING_MS, WEBSOCKETS_MAX } from '../../../server/base/push-limits.ts'
import { updateAccount } from '../../../storage/repos/accounts.ts'
import { basic, startHttp, type TestHttp } from '../../support/http-server.ts'
import { handshake, openSocket } from '../../support/jmap-socket.ts'

const MAIL = 'From: a@example.org\nSubject: Hi\n\nHi\n'
const CORE = 'urn:ietf:params:jmap:core'
const MAIL_CAPABILITY = 'urn:ietf:params:jmap:mail'

const urlOf = ({ url }: TestHttp) => `${url.replace(/^http/, 'ws')}/jmap/ws`
const open = (t: Test, http: TestHttp, headers = { Authorization: http.login }) => openSocket(t, urlOf(http), headers)
const echo = (id?: string, args: object = { hello: true }) => ({
  '@type': 'Request',
  ...(id !== undefined && { id }),
  using: [CORE],
  methodCalls: [['Core/echo', args, 'c']],
})

t.test('discovery and handshake', async (t) => {
  const http = await startHttp(t)
  const { ask, login } = http

  t.test('the session has the URL, and supportsPush is true', async (t) => {
    const session = (await (await ask('/jmap/session')).json()) as { capabilities: Record<string, unknown> }
    t.same(session.capabilities['urn:ietf:params:jmap:websocket'], { url: urlOf(http), supportsPush: true })
  })

  t.test('the response names the subprotocol jmap, and no compression', async (t) => {
    const { socket } = await open(t, http)
    t.equal(socket.protocol, 'jmap')
    t.equal(socket.extensions, '')
  })

  t.test('without the subprotocol, without credentials or with wrong ones the connection is refused', async (t) => {
    const url = urlOf(http)
    t.equal(await handshake(url, { Authorization: login }, []), 400)
    t.equal(await handshake(url, { Authorization: login }, ['other']), 400)
    t.equal(await handshake(url, { Authorization: login }, ['other', 'jmap']), 101, 'control')
    t.equal(await handshake(url, {}), 401)
    t.equal(await handshake(url, { Authorization: basic(http.alice.address, 'wrong') }), 401)
    t.equal(await handshake(url.replace('/jmap/ws', '/jmap/nowhere'), { Authorization: login }), 404)
  })

  t.test("a page of another origin cannot use the browser's stored password, unless the origin is named", async (t) => {
    const url = urlOf(http)
    t.equal(await handshake(url, { Authorization: login, Origin: 'https://evil.example' }), 403)
    t.equal(await handshake(url, { Authorization: login, Origin: http.url }), 101)
    const named = await startHttp(t, { corsOrigins: ['https://app.example'] })
    t.equal(await handshake(urlOf(named), { Authorization: named.login, Origin: 'https://app.example' }), 101)
    t.equal(await handshake(urlOf(named), { Authorization: named.login, Origin: 'https://evil.example' }), 403)
  })

  t.test('a plain GET gets 426', async (t) => {
    const answer = await ask('/jmap/ws')
    t.equal(answer.status, 426)
    t.equal(answer.headers.get('upgrade'), 'websocket')
  })

  t.test('a client has a limited number of connections', async (t) => {
    const sockets = await Promise.all(Array.from({ length: WEBSOCKETS_MAX }, () => open(t, http)))
    t.equal(await handshake(urlOf(http), { Authorization: login }), 429)
    sockets[0]!.socket.close()
    await sockets[0]!.closed
    let status = 429
    while (status === 429) status = await handshake(urlOf(http), { Authorization: login })
    t.equal(status, 101)
  })
})

t.test('requests', async (t) => {
  const http = await startHttp(t, {
    limits: { maxSizeRequest: 20_000, maxCallsInRequest: 4, maxConcurrentRequests: 2 },
  })
  const { alice } = http

  t.test('get the same responses as over HTTP, with type and id', async (t) => {
    const client = await open(t, http)
    client.send(echo('R1'))
    t.match(await client.next(), {
      '@type': 'Response',
      requestId: 'R1',
      methodResponses: [['Core/echo', { hello: true }, 'c']],
      sessionState: String,
    })
    client.send(echo())
    const answer = await client.next()
    t.equal(answer['@type'], 'Response')
    t.notOk('requestId' in answer, 'none where none was given')
    client.send({ ...echo('R2'), createdIds: { a: 'b' } })
    t.same((await client.next()).createdIds, { a: 'b' })
  })

  t.test('can write, too', async (t) => {
    const client = await open(t, http)
    const create = { m: { name: 'Made here' } }
    client.send({
      '@type': 'Request',
      id: 'w',
      using: [CORE, MAIL_CAPABILITY],
      methodCalls: [['Mailbox/set', { accountId: alice.accountId, create }, 'c']],
    })
    t.ok((await client.next()).methodResponses[0][1].created.m.id)
  })

  t.test('in several frames are one message', async (t) => {
    const client = await open(t, http)
    const text = JSON.stringify(echo('long'))
    client.socket.send(text.slice(0, 10), { fin: false })
    client.socket.send(text.slice(10, 20), { fin: false })
    client.socket.send(text.slice(20), { fin: true })
    t.equal((await client.next()).requestId, 'long')
  })

  t.test('that are malformed get a RequestError, and the connection stays', async (t) => {
    const client = await open(t, http)
    const prefix = 'urn:ietf:params:jmap:error:'
    const calls = Array.from({ length: 5 }, (_, i) => ['Core/echo', {}, String(i)])
    for (const [message, type, requestId, more] of [
      ['The quick brown fox', 'notJSON', null, {}],
      ['[]', 'notRequest', null, {}],
      [{ id: 'x' }, 'notRequest', 'x', {}],
      [{ '@type': 'Response', id: 'x' }, 'notRequest', 'x', {}],
      [{ '@type': 'Request', id: 'x', using: [] }, 'notRequest', 'x', {}],
      [{ ...echo(), id: 7 }, 'notRequest', null, {}],
      [{ ...echo('x'), using: ['urn:example:none'] }, 'unknownCapability', 'x', {}],
      [{ ...echo('x'), methodCalls: calls }, 'limit', 'x', { limit: 'maxCallsInRequest' }],
      [{ '@type': 'WebSocketPushEnable', dataTypes: 'Email' }, 'notRequest', null, {}],
      [{ '@type': 'WebSocketPushEnable', pushState: 7 }, 'notRequest', null, {}],
    ] as const) {
      client.send(message)
      const expected = { '@type': 'RequestError', type: prefix + type, requestId, status: 400, ...more }
      t.match(await client.next(), expected, JSON.stringify(message))
    }
    client.send(echo('after'))
    t.equal((await client.next()).requestId, 'after')
  })

  t.test('over the size limit get an error before the connection ends', async (t) => {
    const client = await open(t, http)
    client.send(echo('fits', { text: 'x'.repeat(19_000) }))
    t.equal((await client.next()).requestId, 'fits', 'control')
    client.send(echo('large', { text: 'x'.repeat(20_000) }))
    t.match(await client.next(), { '@type': 'RequestError', type: /limit$/, limit: 'maxSizeRequest' })
    t.equal(await client.closed, 1009)
  })

  t.test('count against the same limit as those over HTTP', async (t) => {
    const client = await open(t, http)
    for (let i = 0; i < 20; i++) client.send(echo(`c${i}`))
    const answers = []
    for (let i = 0; i < 20; i++) answers.push(await client.next())
    const refused = answers.filter((answer) => answer.limit === 'maxConcurrentRequests')
    t.ok(refused.length > 0)
    t.ok(refused.every(({ requestId }) => /^c\d+$/.test(requestId)))
    t.ok(answers.some((answer) => answer['@type'] === 'Response'))
    client.send(echo('after'))
    t.equal((await client.next()).requestId, 'after')
  })

  t.test('in binary end the connection with 1003, invalid UTF-8 with 1007', async (t) => {
    const binary = await open(t, http)
    binary.socket.send(Buffer.from(JSON.stringify(echo('b'))), { binary: true })
    t.equal(await binary.closed, 1003)
    t.equal(await binary.next(), null, 'it was not answered')
    const garbage = await open(t, http)
    garbage.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    t.equal(await garbage.closed, 1007)
  })
})

t.test('push', async (t) => {
  const http = await startHttp(t)
  const { alice, mailbox } = http
  const enable = (more: object = {}) => ({ '@type': 'WebSocketPushEnable', dataTypes: null, ...more })

  t.test('is off until it is switched on, and after it is switched off', async (t) => {
    const client = await open(t, http)
    await alice.receive(MAIL)
    client.send(echo('1'))
    t.equal((await client.next()).requestId, '1', 'nothing was pushed before')
    client.send(enable())
    client.send(echo('2'))
    t.equal((await client.next()).requestId, '2')
    await alice.receive(MAIL)
    const { state } = await alice.call('Email/get', { ids: [] })
    t.match(await client.next(), {
      '@type': 'StateChange',
      changed: { [alice.accountId]: { Email: state, EmailDelivery: String } },
      pushState: String,
    })
    client.send({ '@type': 'WebSocketPushDisable' })
    client.send(echo('3'))
    t.equal((await client.next()).requestId, '3')
    await alice.receive(MAIL)
    client.send(echo('4'))
    t.equal((await client.next()).requestId, '4')
  })

  t.test('reports only requested types', async (t) => {
    const client = await open(t, http)
    client.send(enable({ dataTypes: ['Thread', 'Calendar'] }))
    client.send(echo('1'))
    await client.next()
    await alice.receive(MAIL)
    t.same(Object.keys((await client.next()).changed[alice.accountId]), ['Thread'])
  })

  t.test('with a pushState reports missed changes at once; without changes nothing', async (t) => {
    const first = await open(t, http)
    first.send(enable())
    first.send(echo('1'))
    await first.next()
    await alice.receive(MAIL)
    const { pushState } = await first.next()
    first.socket.close()
    await first.closed
    const quiet = await open(t, http)
    quiet.send(enable({ pushState }))
    quiet.send(echo('2'))
    t.equal((await quiet.next()).requestId, '2', 'nothing was missed yet')
    await alice.receive(MAIL)
    const { state } = await alice.call('Email/get', { ids: [] })
    const again = await open(t, http)
    again.send(enable({ pushState, dataTypes: ['Email'] }))
    t.match(await again.next(), { '@type': 'StateChange', changed: { [alice.accountId]: { Email: state } } })
  })

  t.test('does not report accounts of others', async (t) => {
    const bob = await mailbox('bob')
    const client = await open(t, http)
    client.send(enable())
    client.send(echo('1'))
    await client.next()
    const his = await open(t, http, { Authorization: basic(bob.address, 'Secret123') })
    his.send(enable())
    his.send(echo('1'))
    await his.next()
    await bob.receive(MAIL)
    t.same(Object.keys((await his.next()).changed), [bob.accountId], 'control')
    await alice.receive(MAIL)
    t.same(Object.keys((await client.next()).changed), [alice.accountId])
  })
})

t.test('a connection ends', async (t) => {
  t.test('when its API key is revoked, with 1008; a later request is not run', async (t) => {
    const http = await startHttp(t)
    const { id, key } = await http.key({ scopes: ['mailboxes:read'] })
    const client = await open(t, http, { Authorization: `Bearer ${key}` })
    client.send(echo('1'))
    t.equal((await client.next()).requestId, '1', 'control')
    await http.request([['ApiKey/set', { accountId: http.organization.accountId, destroy: [id] }]])
    client.send(echo('2'))
    t.equal(await client.next(), null)
    t.equal(await client.closed, 1008)
  })

  t.test('within 30 seconds when its account is suspended without a notification', async (t) => {
    const clock = new ManualClock()
    const http = await startHttp(t, { clock })
    const client = await open(t, http)
    await http.store.write([], (unit) => updateAccount(unit, http.alice.account, { suspended_at: 1 }))
    clock.advance(PUSH_RENEW_MS)
    t.equal(await client.closed, 1008)
    t.equal(await handshake(urlOf(http), { Authorization: http.login }), 403)
  })

  t.test('when the client no longer answers pings, and not while it does', async (t) => {
    const clock = new ManualClock()
    const http = await startHttp(t, { clock })
    const lively = await open(t, http)
    const pinged = new Promise((resolve) => lively.socket.once('ping', resolve))
    const dead = await open(t, http)
    dead.socket.pause()
    clock.advance(WEBSOCKET_PING_MS)
    await pinged
    lively.send(echo('1'))
    t.equal((await lively.next()).requestId, '1')
    clock.advance(WEBSOCKET_PING_MS)
    dead.socket.resume()
    t.equal(await dead.closed, 1006)
    lively.send(echo('2'))
    t.equal((await lively.next()).requestId, '2')
  })

  t.test('when the server stops, with 1001', async (t) => {
    const http = await startHttp(t)
    const client = await open(t, http)
    await http.listener.stop()
    t.equal(await client.closed, 1001)
  })
})
