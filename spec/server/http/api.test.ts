import { connect } from 'node:net'
import t from 'tap'
import { basic, startHttp } from '../../support/http-server.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const ECHO = JSON.stringify({ using: ['urn:ietf:params:jmap:core'], methodCalls: [['Core/echo', { hello: 'ü' }, 'c']] })

t.test('a request gets a response in JSON', async (t) => {
  const { ask } = await startHttp(t)
  const answer = await ask('/jmap/api', { method: 'POST', headers: JSON_TYPE, body: ECHO })
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), /^application\/json/)
  t.equal(answer.headers.get('cache-control'), 'no-store')
  t.match(await answer.json(), { methodResponses: [['Core/echo', { hello: 'ü' }, 'c']] })
})

t.test('another content type is refused as notJSON', async (t) => {
  const { ask } = await startHttp(t)
  for (const type of ['text/plain', 'application/json; charset=latin1', 'application/jsonx']) {
    const answer = await ask('/jmap/api', { method: 'POST', headers: { 'Content-Type': type }, body: ECHO })
    t.equal(answer.status, 415, type)
    t.match(answer.headers.get('content-type'), 'application/problem+json')
    t.match(await answer.json(), { type: 'urn:ietf:params:jmap:error:notJSON', status: 415 })
  }
  const utf8 = await ask('/jmap/api', {
    method: 'POST',
    headers: { 'Content-Type': 'Application/JSON;charset="UTF-8"' },
    body: ECHO,
  })
  t.equal(utf8.status, 200)
})

t.test('invalid requests and invalid JSON are distinguished', async (t) => {
  const { ask } = await startHttp(t)
  const type = async (body: string) => {
    const answer = await ask('/jmap/api', { method: 'POST', headers: JSON_TYPE, body })
    t.equal(answer.status, 400)
    t.match(answer.headers.get('content-type'), 'application/problem+json')
    return ((await answer.json()) as { type: string }).type
  }
  t.equal(await type('{'), 'urn:ietf:params:jmap:error:notJSON')
  t.equal(await type('[]'), 'urn:ietf:params:jmap:error:notRequest')
  t.equal(await type('{"using":["urn:x"],"methodCalls":[]}'), 'urn:ietf:params:jmap:error:unknownCapability')
})

t.test('a request above maxSizeRequest is refused, declared or not', async (t) => {
  const { ask } = await startHttp(t, { limits: { maxSizeRequest: 1_000 } })
  const large = `${ECHO}${' '.repeat(2_000)}`
  const chunked = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(large))
      controller.close()
    },
  })
  for (const body of [large, chunked]) {
    const init = { method: 'POST', headers: JSON_TYPE, body, duplex: 'half' } as RequestInit
    const answer = await ask('/jmap/api', init as { headers: Record<string, string> })
    t.equal(answer.status, 400)
    t.match(await answer.json(), { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeRequest' })
  }
  t.equal((await ask('/jmap/api', { method: 'POST', headers: JSON_TYPE, body: ECHO })).status, 200)
})

t.test('a compressed body is refused', async (t) => {
  const { ask } = await startHttp(t)
  const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip' }
  t.equal((await ask('/jmap/api', { method: 'POST', headers, body: ECHO })).status, 415)
})

t.test('a client has at most maxConcurrentRequests requests at a time', async (t) => {
  const { ask, core } = await startHttp(t, { limits: { maxConcurrentRequests: 2 } })
  const held = Promise.withResolvers<void>()
  const { processText } = core
  let running = 0
  const both = Promise.withResolvers<void>()
  core.processText = async (...args) => {
    if (++running === 2) both.resolve()
    await held.promise
    return processText.apply(core, args)
  }
  const post = () => ask('/jmap/api', { method: 'POST', headers: JSON_TYPE, body: ECHO })
  const first = [post(), post()]
  await both.promise
  const third = await post()
  t.equal(third.status, 429)
  t.match(await third.json(), { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxConcurrentRequests' })
  held.resolve()
  for (const answer of await Promise.all(first)) t.equal(answer.status, 200)
  t.equal((await post()).status, 200, 'the slots are free again')
})

t.test('a request without credentials, or with wrong ones, reveals nothing', async (t) => {
  const { url, alice } = await startHttp(t)
  const bodies = new Set<string>()
  for (const authorization of [
    undefined,
    'Basic !!!',
    'Digest x',
    basic(alice.address, 'wrong'),
    basic('no@one.test', 'x'),
  ]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization }
    const answer = await fetch(`${url}/jmap/api`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: ECHO })
    t.equal(answer.status, 401)
    t.match(answer.headers.get('www-authenticate'), /Basic .*Bearer/)
    bodies.add(await answer.text())
  }
  t.equal(bodies.size, 2, 'no credentials, and wrong ones')
})

t.test('too many failures get a Retry-After', async (t) => {
  const { url, alice } = await startHttp(t)
  const attempt = (password: string) =>
    fetch(`${url}/jmap/session`, { headers: { Authorization: basic(alice.address, password) } })
  for (let i = 0; i < 9; i++) t.equal((await attempt(`wrong ${i}`)).status, 401)
  const answers = [await attempt('wrong'), await attempt('wrong again')]
  t.equal(answers[1]!.status, 429)
  t.match(answers[1]!.headers.get('retry-after'), /^\d+$/)
})

t.test('a password may contain colons and letters of any script', async (t) => {
  const { request, organization, alice, url } = await startHttp(t)
  const password = 'Pä:ss:w0rd'
  await request([
    ['MailAccount/set', { accountId: organization.accountId, update: { [alice.accountId]: { password } } }],
  ])
  const headers = { Authorization: basic(alice.address, password) }
  t.equal((await fetch(`${url}/jmap/session`, { headers })).status, 200)
})

t.test('the old password stops working at once when a new one is set', async (t) => {
  const { request, organization, alice, ask } = await startHttp(t)
  t.equal((await ask('/jmap/session')).status, 200)
  const update = { [alice.accountId]: { password: 'Another1password' } }
  await request([['MailAccount/set', { accountId: organization.accountId, update }]])
  t.equal((await ask('/jmap/session')).status, 401)
})

t.test('a failure of the store is 503, without internal text', async (t) => {
  const { ask, core } = await startHttp(t)
  core.processText = async () => {
    throw Object.assign(new Error('secret inside'), { code: 'x' })
  }
  const answer = await ask('/jmap/api', { method: 'POST', headers: JSON_TYPE, body: ECHO })
  t.equal(answer.status, 500)
  t.notMatch(await answer.text(), 'secret inside')
})

t.test('a method error is an ordinary response, HTTP 200 (RFC 8620 3.6.2)', async (t) => {
  const { ask } = await startHttp(t)
  const methodCalls = [
    ['Nothing/get', {}, 'a'],
    ['Core/echo', {}, 'b'],
  ]
  const body = JSON.stringify({ using: ['urn:ietf:params:jmap:core'], methodCalls })
  const answer = await ask('/jmap/api', { method: 'POST', headers: JSON_TYPE, body })
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), /^application\/json/)
  t.same(((await answer.json()) as { methodResponses: unknown }).methodResponses, [
    ['error', { type: 'unknownMethod' }, 'a'],
    ['Core/echo', {}, 'b'],
  ])
})

t.test('texts for users are in English and say so, whatever language is requested (RFC 8620 3.8)', async (t) => {
  const { ask } = await startHttp(t)
  const headers = { ...JSON_TYPE, 'Accept-Language': 'fr-CH, fr;q=0.9, de;q=0.8' }
  for (const [body, status] of [
    [ECHO, 200],
    ['{', 400],
  ] as const) {
    const answer = await ask('/jmap/api', { method: 'POST', headers, body })
    t.equal(answer.status, status)
    t.equal(answer.headers.get('content-language'), 'en')
  }
})

t.test('a client has at most maxConcurrentUpload uploads at a time', async (t) => {
  const { ask, core, alice } = await startHttp(t, { limits: { maxConcurrentUpload: 1 } })
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const { upload } = core
  core.upload = async (...args) => {
    begun.resolve()
    await held.promise
    return upload.apply(core, args)
  }
  const post = () => ask(`/jmap/upload/${alice.accountId}`, { method: 'POST', body: 'x' })
  const first = post()
  await begun.promise
  const second = await post()
  t.equal(second.status, 429)
  t.match(await second.json(), { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxConcurrentUpload' })
  held.resolve()
  t.equal((await first).status, 201)
  t.equal((await post()).status, 201, 'the slot is free again')
})

t.test('endless chunks are refused at the limit, and then the connection is closed', async (t) => {
  const { url, login } = await startHttp(t, { limits: { maxSizeRequest: 100_000 } })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const answer: Buffer[] = []
  socket.on('data', (chunk) => answer.push(chunk))
  // It sends without reading responses, until the connection is closed.
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(`POST /jmap/api HTTP/1.1\r\nHost: x\r\nAuthorization: ${login}\r\nContent-Type: application/json\r\n`)
  socket.write('Transfer-Encoding: chunked\r\n\r\n')
  const chunk = `2710\r\n${' '.repeat(10_000)}\r\n`
  const send = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', send)
  send()
  await closed
  const text = Buffer.concat(answer).toString()
  t.match(text, /^HTTP\/1\.1 400 /)
  t.match(text, '"limit":"maxSizeRequest"')
  t.ok(socket.bytesWritten > 100_000)
})

t.test('a large answer arrives completely, piece by piece', async (t) => {
  const pieces = Array.from({ length: 40 }, (_, i) => new Uint8Array(100_000).fill(97 + (i % 26)))
  const { ask } = await startHttp(t, {
    around: (core) => ({ ...core, processText: async () => ({ status: 200, body: pieces }) }),
  })
  const answer = await ask('/jmap/api', { method: 'POST', headers: JSON_TYPE, body: ECHO })
  t.equal(answer.headers.get('content-length'), '4000000')
  t.match(answer.headers.get('content-type'), /^application\/json/)
  t.ok(Buffer.concat(pieces).equals(Buffer.from(await answer.arrayBuffer())))
})
