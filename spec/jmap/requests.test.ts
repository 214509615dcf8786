/** Rules for a request as a whole, beside the single calls of dispatcher.test.ts. */
import t from 'tap'
import { METHOD_ERROR_TYPES, SET_ERROR_TYPES } from '../../jmap/protocol/errors.ts'
import type { Invocation, JmapRequest } from '../../jmap/protocol/messages.ts'
import { createStandardRegistry } from '../../jmap/standard-registry.ts'
import { SERVICE } from '../../jmap/type/capabilities.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { type Result, startCore, USING } from '../support/core.ts'
import { mail } from './mails.ts'

const { core, store, mailbox, clock } = await startCore(t)
const hello = await mailbox('hello')
const { accountId } = hello
/** The order in which a client may get reports of a record. */
const ORDER = ['created', 'updated', 'destroyed']

const run = async (methodCalls: readonly Invocation[], more: Partial<JmapRequest> = {}): Promise<Result> =>
  core.process(hello.principal, { using: USING, methodCalls, ...more })

t.test(
  'calls run one after the other, and each sees the effects of those before it (RFC 8620 3.3, 3.10)',
  async (t) => {
    const get: JsonObject = { accountId, ids: ['#f'], properties: ['name'] }
    const { methodResponses } = await run([
      ['Mailbox/get', get, '0'],
      ['Mailbox/set', { accountId, create: { f: { name: 'One' } } }, '1'],
      ['Mailbox/get', get, '2'],
      ['Mailbox/set', { accountId, update: { '#f': { name: 'Two' } } }, '3'],
      ['Mailbox/get', get, '4'],
      ['Mailbox/set', { accountId, destroy: ['#f'] }, '5'],
      ['Mailbox/get', get, '6'],
    ])
    const names = [0, 2, 4, 6].map((i) => methodResponses[i][1].list[0]?.name)
    t.same(names, [undefined, 'One', 'Two', undefined])
    t.same(
      methodResponses.map(([, , id]: Invocation) => id),
      ['0', '1', '2', '3', '4', '5', '6'],
    )
  },
)

t.test('a capability that a client has not opted into does not exist for it (RFC 8620 1.8)', async (t) => {
  const id = await hello.receive(mail())
  const { threadId } = (await hello.call('Email/get', { ids: [id] })).list[0]
  const calls: Invocation[] = [
    ['Mailbox/get', { accountId, properties: ['ownUnreadThreads'] }, 'a'],
    ['Thread/get', { accountId, ids: [threadId], properties: ['subject'] }, 'b'],
    ['Email/get', { accountId, ids: [id], properties: ['source'] }, 'c'],
    ['Email/query', { accountId, filter: { attachmentName: 'x' } }, 'd'],
  ]
  const standard = USING.filter((capability) => capability !== SERVICE.urn)
  const without = await run(calls, { using: standard })
  t.same(
    without.methodResponses.map(([, { type }]: [string, Result]) => type),
    ['invalidArguments', 'invalidArguments', 'invalidArguments', 'unsupportedFilter'],
  )
  const opted = await run(calls)
  t.same(
    opted.methodResponses.map(([name]: Invocation) => name),
    ['Mailbox/get', 'Thread/get', 'Email/get', 'Email/query'],
    'control: with the capability it is there',
  )
  const plain = await run([['Thread/get', { accountId, ids: [threadId] }, 'a']], { using: standard })
  t.same(Object.keys(plain.methodResponses[0][1].list[0]).sort(), ['emailIds', 'id'])
})

t.test('responses are I-JSON whatever mail contains (RFC 8620 1.5)', async (t) => {
  const half = '=?utf-16be?B?2AA=?='
  const head = `From: ${half} <a@example.org>\nSubject: ${half}\nMIME-Version: 1.0\n`
  const part = 'Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\nAN5hAADY\n'
  const id = await hello.receive(`${head}${part}`)
  const raw = await hello.receive(
    Buffer.concat([Buffer.from('Subject: '), Buffer.from([0xed, 0xa0, 0x80, 0xff]), Buffer.from('\r\n\r\n\xff')]),
  )
  const methodCalls = [
    ['Email/get', { accountId, ids: [id, raw], fetchAllBodyValues: true }, 'g'],
    ['Email/get', { accountId, ids: [id, raw], properties: ['headers', 'preview', 'header:Subject:asText'] }, 'h'],
  ]
  const answer = await core.processText(hello.principal, Buffer.from(JSON.stringify({ using: USING, methodCalls })))
  const body = answer.body as string
  const lone: string[] = []
  JSON.parse(body, (key, value) => {
    for (const text of [key, value]) if (typeof text === 'string' && !text.isWellFormed()) lone.push(text)
    return value
  })
  t.same(lone, [])
  t.equal(Buffer.from(body).toString(), body, 'and it is UTF-8')
  t.match(JSON.parse(body).methodResponses[0][1].list[0].bodyValues, { '1': { isEncodingProblem: true } }, 'control')
})

t.test('a failed call has changed nothing, and the next one runs (RFC 8620 3.6.2)', async (t) => {
  const before = (await hello.call('Mailbox/get', {})) as Result
  const { write } = store
  t.teardown(() => Object.assign(store, { write }))
  Object.assign(store, {
    write: (accounts: readonly number[], work: (unit: never) => Promise<unknown>) =>
      write.call(store, accounts, async (unit) => {
        await work(unit as never)
        throw new Error('secret inside')
      }),
  })
  const { methodResponses } = await run([
    ['Mailbox/set', { accountId, create: { a: { name: 'Never' } } }, 'a'],
    ['Mailbox/get', { accountId }, 'b'],
  ])
  t.match(methodResponses[0], ['error', { type: 'serverFail', description: String }, 'a'])
  t.notMatch(JSON.stringify(methodResponses[0]), 'secret')
  t.same(methodResponses[1][1], before)
  Object.assign(store, { write })
  t.ok((await hello.call('Mailbox/set', { create: { a: { name: 'Now' } } })).created, 'control')
})

t.test('a method that a type lacks is unknownMethod (RFC 8620 5)', async (t) => {
  const { types, methods } = createStandardRegistry()
  const all = ['get', 'changes', 'set', 'copy', 'query', 'queryChanges']
  const lacking = types.flatMap(({ type }) =>
    all.map((name) => `${type.name}/${name}`).filter((one) => !methods.has(one)),
  )
  t.ok(lacking.length > 0)
  for (const name of lacking) {
    const { methodResponses } = await run([[name, { accountId }, 'a']])
    t.same(methodResponses, [['error', { type: 'unknownMethod' }, 'a']], name)
  }
})

t.test('every error that the RFC names has its exact name (RFC 8620 3.6.2, 5)', async (t) => {
  const method = `serverUnavailable serverFail serverPartialFail unknownMethod invalidArguments invalidResultReference forbidden
    accountNotFound accountNotSupportedByMethod accountReadOnly requestTooLarge cannotCalculateChanges tooManyChanges stateMismatch
    fromAccountNotFound fromAccountNotSupportedByMethod anchorNotFound unsupportedSort unsupportedFilter`
  for (const name of method.split(/\s+/)) t.ok((METHOD_ERROR_TYPES as readonly string[]).includes(name), name)
  const set = `forbidden overQuota tooLarge rateLimit notFound invalidPatch willDestroy invalidProperties singleton alreadyExists`
  for (const name of set.split(/\s+/)) t.ok((SET_ERROR_TYPES as readonly string[]).includes(name), name)
})

t.test('texts are sorted without regard to case, in every script (RFC 8620 5.5)', async (t) => {
  const box = await mailbox('sorted')
  for (const name of ['zulu', 'Alpha', 'ÖMEGA', 'bravo', 'ömegb', 'Яблоко', 'ябло'])
    await box.call('Mailbox/set', { create: { m: { name, parentId: box.roles['archive']! } } })
  const filter = { parentId: box.roles['archive']! }
  const { ids } = await box.call('Mailbox/query', { filter, sort: [{ property: 'name' }] })
  const { list } = await box.call('Mailbox/get', { ids, properties: ['name'] })
  const names = list.map(({ name }: { name: string }) => name)
  t.ok(names.indexOf('Alpha') < names.indexOf('bravo') && names.indexOf('bravo') < names.indexOf('zulu'), names.join())
  t.ok(names.indexOf('ÖMEGA') < names.indexOf('ömegb'), 'Ö is ö')
  t.ok(names.indexOf('ябло') < names.indexOf('Яблоко'), 'and Я is я')
  t.same(
    (await box.call('Mailbox/query', { filter, sort: [{ property: 'name', isAscending: false }] })).ids,
    ids.toReversed(),
  )
})

t.test('false comes before true, the lower number and the earlier date first (RFC 8620 5.5)', async (t) => {
  const box = await mailbox('compared')
  const large = await box.receive(mail({ body: 'x'.repeat(5_000) }), Date.UTC(2026, 0, 1))
  const small = await box.receive(mail({ body: 'x' }), Date.UTC(2026, 0, 2))
  await box.call('Email/set', { update: { [large]: { 'keywords/$seen': true } } })
  const first = async (comparator: JsonObject) => (await box.call('Email/query', { sort: [comparator] })).ids[0]
  t.equal(await first({ property: 'hasKeyword', keyword: '$seen' }), small)
  t.equal(await first({ property: 'size' }), small)
  t.equal(await first({ property: 'receivedAt' }), large)
  t.equal(await first({ property: 'hasKeyword', keyword: '$seen', isAscending: false }), large)
})

t.test(
  'pages of /changes report a record first as created, then as updated, last as destroyed (RFC 8620 5.2)',
  async (t) => {
    const box = await mailbox('paged')
    const { state } = await box.call('Mailbox/get', { ids: [] })
    const make = async (name: string) => (await box.call('Mailbox/set', { create: { m: { name } } })).created.m.id
    const [a, b] = [await make('A'), await make('B')]
    for (const name of ['A1', 'A2']) {
      await box.call('Mailbox/set', { update: { [a]: { name } } })
      await box.call('Mailbox/set', { update: { [b]: { name: `${name} too` } } })
    }
    await box.call('Mailbox/set', { destroy: [a] })
    const told: { [id: string]: string[] } = {}
    for (let sinceState = state, more = true; more; ) {
      const page = await box.call('Mailbox/changes', { sinceState, maxChanges: 1 })
      for (const kind of ORDER) for (const id of page[kind]) told[id] = [...(told[id] ?? []), kind]
      t.ok(page.hasMoreChanges === (page.newState !== (await box.call('Mailbox/get', { ids: [] })).state))
      sinceState = page.newState
      more = page.hasMoreChanges
    }
    for (const kinds of Object.values(told)) {
      t.equal(kinds.indexOf('created'), kinds.lastIndexOf('created'), 'created once')
      t.same(
        kinds,
        kinds.toSorted((x, y) => ORDER.indexOf(x) - ORDER.indexOf(y)),
      )
    }
    t.equal(told[b]?.[0], 'created')
  },
)

t.test('changes since a state of thirty days ago are available (RFC 8620 5.2)', async (t) => {
  const box = await mailbox('patient')
  const { state } = await box.call('Mailbox/get', { ids: [] })
  const { created } = await box.call('Mailbox/set', { create: { m: { name: 'Long ago' } } })
  clock.advance(30 * 86_400_000)
  await core.maintenance.run()
  t.same((await box.call('Mailbox/changes', { sinceState: state })).created, [created.m.id])
})
