import t from 'tap'
import type { Invocation, JmapRequest } from '../../../jmap/protocol/messages.ts'
import { CORE, MAIL, SERVICE, SUBMISSION } from '../../../jmap/type/capabilities.ts'
import { Failure } from '../../../server/base/errors.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { Principal } from '../../../server/base/principal.ts'
import { parseBody, type Result, startCore, USING } from '../../support/core.ts'
import { mail, octets } from '../mails.ts'

const { core, store, organization, organizationWith, mailbox, key, request } = await startCore(t)
const hello = await mailbox('hello')
const other = await mailbox('other')
const foreign = await (await organizationWith('foreign.test')).mailbox('hello')

const run = async (
  methodCalls: readonly Invocation[],
  more: Partial<JmapRequest> = {},
  principal: Principal = hello.principal,
): Promise<Result> => core.process(principal, { using: USING, methodCalls, ...more })
const errorOf = async (name: string, args: JsonObject, principal = hello.principal) => {
  const { methodResponses } = await run([[name, args, 'c']], {}, principal)
  t.equal(methodResponses[0][0], 'error')
  return methodResponses[0][1]
}

t.test('Core/echo returns its arguments (RFC 8620 4)', async (t) => {
  const args = { hello: true, list: [1, { two: null }] }
  t.same((await run([['Core/echo', args, 'e1']])).methodResponses, [['Core/echo', args, 'e1']])
})

t.test('calls are answered in order, each under its id, also with equal ids (RFC 8620 3.2)', async (t) => {
  const { methodResponses } = await run([
    ['Core/echo', { n: 1 }, 'x'],
    ['Nothing/get', {}, 'x'],
    ['Core/echo', { n: 2 }, 'y'],
  ])
  t.same(
    methodResponses.map(([name, , id]: Invocation) => [name, id]),
    [
      ['Core/echo', 'x'],
      ['error', 'x'],
      ['Core/echo', 'y'],
    ],
  )
})

t.test('an unknown method is unknownMethod, and the next call runs (RFC 8620 3.6.2)', async (t) => {
  for (const name of ['Nothing/get', 'Email/Get', 'Thread/set', '', '__proto__', 'constructor'])
    t.same(await errorOf(name, { accountId: hello.accountId }), { type: 'unknownMethod' }, name)
})

t.test('a method is known only with its capability in `using` (RFC 8620 3.3)', async (t) => {
  const calls: Invocation[] = [
    ['Core/echo', {}, 'core'],
    ['Mailbox/get', { accountId: hello.accountId }, 'mail'],
    ['Identity/get', { accountId: hello.accountId }, 'submission'],
    ['Thread/query', { accountId: hello.accountId }, 'service'],
  ]
  const names = [
    [CORE, 'core'],
    [MAIL, 'mail'],
    [SUBMISSION, 'submission'],
    [SERVICE, 'service'],
  ] as const
  for (const [{ urn }, expected] of names) {
    const { methodResponses } = await run(calls, { using: [urn] })
    const known = methodResponses.filter(([name]: Invocation) => name !== 'error').map(([, , id]: Invocation) => id)
    t.same(known, [expected])
    for (const [name, args] of methodResponses) if (name === 'error') t.equal(args.type, 'unknownMethod')
  }
})

t.test('without any capability every call is unknownMethod (pitfall 2)', async (t) => {
  const { methodResponses } = await run([['Core/echo', {}, 'a']], { using: [] })
  t.same(methodResponses, [['error', { type: 'unknownMethod' }, 'a']])
})

t.test('an unknown capability refuses the request (RFC 8620 3.6.1)', async (t) => {
  const problem = await run([['Core/echo', {}, 'a']], { using: [CORE.urn, 'urn:example:nothing'] })
  t.match(problem, { type: 'urn:ietf:params:jmap:error:unknownCapability', status: 400 })
  t.notOk('methodResponses' in problem)
})

t.test('a call without accountId is invalidArguments (pitfall 3)', async (t) => {
  t.match(await errorOf('Mailbox/get', {}), { type: 'invalidArguments', arguments: ['accountId'] })
  t.match(await errorOf('Mailbox/get', { accountId: null }), { type: 'invalidArguments' })
  t.match(await errorOf('Email/import', { emails: {} }), { type: 'invalidArguments' })
})

t.test('an unknown argument, or one of a wrong type, is invalidArguments (RFC 8620 3.6.2)', async (t) => {
  const { accountId } = hello
  t.match(await errorOf('Mailbox/get', { accountId, nonsense: 1 }), {
    type: 'invalidArguments',
    arguments: ['nonsense'],
  })
  t.match(await errorOf('Mailbox/get', { accountId, ids: 'all' }), { type: 'invalidArguments', arguments: ['ids'] })
  t.match(await errorOf('Mailbox/get', { accountId, ids: [1] }), { type: 'invalidArguments', arguments: ['ids'] })
  t.match(await errorOf('Mailbox/changes', { accountId }), { type: 'invalidArguments', arguments: ['sinceState'] })
  t.match(await errorOf('Email/query', { accountId, limit: -1 }), { type: 'invalidArguments', arguments: ['limit'] })
  t.match(await errorOf('Email/query', { accountId, position: 0.5 }), { type: 'invalidArguments' })
})

t.test('the error for a filter, a sort or rules of the wrong type says that they may be null', async (t) => {
  const { accountId } = hello
  const faultOf = async (name: string, args: object) => (await errorOf(name, { accountId, ...args })).description
  t.equal(await faultOf('Email/query', { filter: 'unread' }), "The argument 'filter' must be object,null.")
  t.equal(await faultOf('Email/query', { sort: {} }), "The argument 'sort' must be array,null.")
  t.equal(await faultOf('InboxRules/test', { emailId: 'x', rules: {} }), "The argument 'rules' must be array,null.")
  t.equal(await faultOf('Email/query', { limit: 'all' }), "The argument 'limit' must be integer.", 'others do not')
})

t.test('null is accepted for every argument that the RFC allows to be null (pitfall 4)', async (t) => {
  const { accountId } = hello
  const { methodResponses } = await run([
    ['Mailbox/get', { accountId, ids: null, properties: null }, '0'],
    ['Email/query', { accountId, filter: null, sort: null, anchor: null, limit: null }, '1'],
    ['Email/set', { accountId, ifInState: null, create: null, update: null, destroy: null }, '2'],
    ['EmailSubmission/set', { accountId, onSuccessUpdateEmail: null, onSuccessDestroyEmail: null }, '3'],
  ])
  t.same(
    methodResponses.map(([name]: Invocation) => name),
    ['Mailbox/get', 'Email/query', 'Email/set', 'EmailSubmission/set'],
  )
})

t.test("another organization's account looks like one that does not exist, octet for octet (promise J1)", async (t) => {
  const { principal } = await key({ scopes: ['mailboxes:read', 'messages:read', 'messages:write'] })
  for (const asking of [hello.principal, principal]) {
    const call = async (accountId: string) => {
      const calls: Invocation[] = [
        ['Mailbox/get', { accountId }, 'a'],
        ['Email/query', { accountId }, 'b'],
        ['Email/set', { accountId, destroy: ['x'] }, 'c'],
        ['Email/import', { accountId, emails: {} }, 'd'],
        ['Email/copy', { fromAccountId: hello.accountId, accountId, create: {} }, 'e'],
      ]
      return JSON.stringify(await run(calls, {}, asking))
    }
    const nonsense = await call('nonsense')
    t.match(nonsense, 'accountNotFound')
    t.equal(await call(foreign.accountId), nonsense)
    t.notMatch(await call(hello.accountId), 'accountNotFound', 'its own is found')
  }
})

t.test('a mailbox that the key does not include looks like one that does not exist', async (t) => {
  const { principal } = await key({ scopes: ['mailboxes:read'], mailboxIds: [hello.accountId] })
  t.same(await errorOf('Mailbox/get', { accountId: other.accountId }, principal), { type: 'accountNotFound' })
  const { methodResponses } = await run([['Mailbox/get', { accountId: hello.accountId }, 'a']], {}, principal)
  t.equal(methodResponses[0][0], 'Mailbox/get')
})

t.test('a mailbox password gives no access to its organization or to other mailboxes', async (t) => {
  t.same(await errorOf('Domain/get', { accountId: organization.accountId }), { type: 'accountNotFound' })
  t.same(await errorOf('Mailbox/get', { accountId: other.accountId }), { type: 'accountNotFound' })
})

t.test('a method for another kind of account is accountNotSupportedByMethod (RFC 8620 3.6.2)', async (t) => {
  const { principal } = await key({ scopes: ['mailboxes:read', 'domains:read'] })
  t.same(await errorOf('Mailbox/get', { accountId: organization.accountId }, principal), {
    type: 'accountNotSupportedByMethod',
  })
  t.same(await errorOf('Domain/get', { accountId: hello.accountId }, principal), {
    type: 'accountNotSupportedByMethod',
  })
})

t.test(
  'a key without the scope of a method is forbidden, and `write` does not give `read` (decision D5)',
  async (t) => {
    const { principal } = await key({ scopes: ['messages:write'] })
    const accountId = hello.accountId
    t.match(await errorOf('Email/get', { accountId, ids: [] }, principal), { type: 'forbidden' })
    t.match(await errorOf('Mailbox/set', { accountId }, principal), { type: 'forbidden' })
    t.match(await errorOf('Thread/query', { accountId }, principal), { type: 'forbidden' })
    const { methodResponses } = await run([['Email/set', { accountId }, 'a']], {}, principal)
    t.equal(methodResponses[0][0], 'Email/set')
  },
)

t.test('a result reference takes its value from an earlier response (RFC 8620 3.7)', async (t) => {
  await hello.receive(mail({ id: 'ref1@example.org' }))
  const { accountId } = hello
  const { methodResponses } = await run([
    ['Email/query', { accountId }, 'q'],
    [
      'Email/get',
      { accountId, '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties: ['threadId'] },
      'g',
    ],
    ['Thread/get', { accountId, '#ids': { resultOf: 'g', name: 'Email/get', path: '/list/*/threadId' } }, 't'],
  ])
  const [query, get, threads] = methodResponses
  t.same(
    get[1].list.map(({ id }: { id: string }) => id),
    query[1].ids,
  )
  t.equal(threads[1].list.length, get[1].list.length)
})

t.test('a reference to an empty result gives an empty list, not an error (pitfall 6)', async (t) => {
  const { accountId, principal } = await mailbox('empty')
  const emailIds = { resultOf: 'q', name: 'Email/query', path: '/ids' }
  const threadIds = { resultOf: 'g', name: 'Email/get', path: '/list/*/threadId' }
  const calls: Invocation[] = [
    ['Email/query', { accountId }, 'q'],
    ['Email/get', { accountId, '#ids': emailIds }, 'g'],
    ['Thread/get', { accountId, '#ids': threadIds }, 't'],
  ]
  const { methodResponses } = await run(calls, {}, principal)
  t.same(methodResponses[1][1].list, [])
  t.same(methodResponses[2][1].list, [])
})

t.test('a reference to a missing response, or to an error, is invalidResultReference (RFC 8620 3.7)', async (t) => {
  const { accountId } = hello
  const ids = (resultOf: string, name: string, path: string) => ({ accountId, '#ids': { resultOf, name, path } })
  const { methodResponses } = await run([
    ['Email/query', { accountId }, 'q'],
    ['Email/get', ids('nothing', 'Email/query', '/ids'), 'a'],
    ['Email/get', ids('q', 'Email/get', '/ids'), 'b'],
    ['Email/get', ids('q', 'Email/query', '/none'), 'c'],
    ['Email/get', ids('a', 'Email/get', '/list/*/id'), 'd'],
  ])
  for (const [name, args] of methodResponses.slice(1)) {
    t.equal(name, 'error')
    t.equal(args.type, 'invalidResultReference')
  }
})

t.test('an argument that is both given and referenced is invalidArguments (RFC 8620 3.7)', async (t) => {
  const reference = { resultOf: 'q', name: 'Email/query', path: '/ids' }
  t.match(await errorOf('Email/get', { accountId: hello.accountId, ids: [], '#ids': reference }), {
    type: 'invalidArguments',
  })
})

t.test('createdIds are returned if the request has them, with the ids of all calls (RFC 8620 3.3)', async (t) => {
  const { accountId } = hello
  const { methodResponses, createdIds } = await run(
    [
      ['Mailbox/set', { accountId, create: { folder: { name: 'Made' } } }, '0'],
      ['Mailbox/get', { accountId, ids: ['#folder', '#given'] }, '1'],
    ],
    { createdIds: { given: hello.roles['inbox']! } },
  )
  const made = methodResponses[0][1].created.folder.id
  t.same(createdIds, { given: hello.roles['inbox'], folder: made })
  t.same(
    methodResponses[1][1].list.map(({ id }: { id: string }) => id),
    [made, hello.roles['inbox']],
  )
  t.notOk('createdIds' in (await run([['Core/echo', {}, 'a']])), 'control: not without asking')
})

t.test('a creation id means a record of an earlier call, of any type (RFC 8620 5.3)', async (t) => {
  const { accountId } = hello
  const upload = await core.upload(hello.principal, accountId, 'message/rfc822', octets(mail({ subject: 'Filed' })))
  const { methodResponses } = await run([
    ['Mailbox/set', { accountId, create: { f: { name: 'Files' } } }, '0'],
    ['Email/import', { accountId, emails: { e: { blobId: upload!.blobId, mailboxIds: { '#f': true } } } }, '1'],
    [
      'Email/set',
      { accountId, update: { '#e': { 'keywords/$flagged': true, [`mailboxIds/${hello.roles['inbox']}`]: true } } },
      '2',
    ],
    ['Email/query', { accountId, filter: { inMailbox: '#f' } }, '3'],
    ['Email/get', { accountId, ids: ['#e'], properties: ['mailboxIds', 'keywords'] }, '4'],
  ])
  const folder = methodResponses[0][1].created.f.id
  const email = methodResponses[1][1].created.e.id
  t.same(methodResponses[2][1].updated, { [email]: null })
  t.same(methodResponses[3][1].ids, [email])
  t.same(methodResponses[4][1].list, [
    { id: email, mailboxIds: { [folder]: true, [hello.roles['inbox']!]: true }, keywords: { $flagged: true } },
  ])
})

t.test('a repeated creation id means the record created last (RFC 8620 5.3)', async (t) => {
  const { accountId } = hello
  const { methodResponses } = await run([
    ['Mailbox/set', { accountId, create: { same: { name: 'First' } } }, '0'],
    ['Mailbox/set', { accountId, create: { same: { name: 'Second' } } }, '1'],
    ['Mailbox/get', { accountId, ids: ['#same'], properties: ['name'] }, '2'],
  ])
  t.equal(methodResponses[2][1].list[0].name, 'Second')
})

t.test('every response has the sessionState (RFC 8620 3.4)', async (t) => {
  const { sessionState } = await run([])
  t.type(sessionState, 'string')
})

t.test('an internal failure is serverFail without internal text, and the other calls run', async (t) => {
  const broken = { ...store.blobs }
  const id = await hello.receive(mail({ subject: 'Broken', body: 'x'.repeat(40_000) }))
  t.teardown(() => Object.assign(store.blobs, broken))
  store.blobs.read = async () => {
    throw new Failure('corrupt', 'secret path /var/lib')
  }
  const { methodResponses } = await run([
    ['Email/get', { accountId: hello.accountId, ids: [id], properties: ['bodyValues'], fetchAllBodyValues: true }, 'a'],
    ['Core/echo', { on: true }, 'b'],
  ])
  t.same(methodResponses, [
    ['error', { type: 'serverFail', description: 'Something went wrong on our side; nothing was changed.' }, 'a'],
    ['Core/echo', { on: true }, 'b'],
  ])
  store.blobs.read = async () => {
    throw new Failure('storageUnavailable', 'secret path /var/lib')
  }
  const later = await run([
    ['Email/get', { accountId: hello.accountId, ids: [id], properties: ['bodyValues'], fetchAllBodyValues: true }, 'a'],
  ])
  t.same(later.methodResponses, [['error', { type: 'serverUnavailable' }, 'a']])
})

t.test('the text of a response is the JSON of the response', async (t) => {
  const body = Buffer.from(
    JSON.stringify({
      using: USING,
      methodCalls: [
        ['Email/query', { accountId: hello.accountId }, 'q'],
        [
          'Email/get',
          { accountId: hello.accountId, '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' } },
          'g',
        ],
      ],
    }),
  )
  const { status, body: text } = await core.processText(hello.principal, body)
  t.equal(status, 200)
  const plain = await run(JSON.parse(body.toString()).methodCalls)
  t.same(parseBody(text), JSON.parse(JSON.stringify(plain)))
})

t.test('octets that are not JSON or not a Request are problems of the whole request (RFC 8620 3.6.1)', async (t) => {
  const problem = async (text: string) => {
    const { status, body } = await core.processText(hello.principal, Buffer.from(text))
    return { status, type: (parseBody(body) as { type: string }).type }
  }
  t.same(await problem('{'), { status: 400, type: 'urn:ietf:params:jmap:error:notJSON' })
  t.same(await problem('{}'), { status: 400, type: 'urn:ietf:params:jmap:error:notRequest' })
  const calls = Array.from({ length: core.limits.maxCallsInRequest + 1 }, (_, i) => ['Core/echo', {}, String(i)])
  t.same(await problem(JSON.stringify({ using: [CORE.urn], methodCalls: calls })), {
    status: 400,
    type: 'urn:ietf:params:jmap:error:limit',
  })
})

t.test('a commit is announced with the new states of the changed types', async (t) => {
  const heard: Result[] = []
  const stop = core.onStateChange((change) => heard.push(change))
  await hello.call('Mailbox/set', { create: { b: { name: 'Bell' } } })
  stop()
  await hello.call('Mailbox/set', { create: { b: { name: 'Silent' } } })
  const { state } = await hello.call('Mailbox/get', { ids: [] })
  t.equal(heard.length, 1)
  t.match(heard[0], { account: hello.account, accountId: hello.accountId })
  t.same(Object.keys(heard[0].changed), ['Mailbox'])
  t.not(heard[0].changed.Mailbox, state, 'the second one was not heard')
  t.equal(await request([]).then(({ length }) => length), 0)
})
