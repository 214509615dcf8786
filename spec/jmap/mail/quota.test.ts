import t from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import { announceLimit } from '../../../jmap/mail/quota/octets.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { startCore, type TestMailbox, USING } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { mail } from '../mails.ts'

const LIMIT = 100_000

await forEachEngine(t, async (t, engine) => {
  const limited = await startCore(t, engine, { mailboxStorageBytes: LIMIT })
  const quotaOf = async (box: TestMailbox) => (await box.call('Quota/get', { ids: null })).list[0]
  const sizeOf = async (box: TestMailbox, id: string) =>
    (await box.call('Email/get', { ids: [id], properties: ['size'] })).list[0].size as number

  t.test('an account with a limit has one quota, with every property (RFC 9425 4)', async (t) => {
    const hello = await limited.mailbox('shape')
    const { list, notFound } = await hello.call('Quota/get', { ids: null })
    t.same(list, [
      {
        id: list[0].id,
        resourceType: 'octets',
        used: 0,
        hardLimit: LIMIT,
        scope: 'account',
        name: 'Storage',
        types: ['Email'],
        warnLimit: null,
        softLimit: null,
        description: 'Octets of all messages in this account.',
      },
    ])
    t.same(notFound, [])
    const some = await hello.call('Quota/get', { ids: [list[0].id, 'nothing'], properties: ['used'] })
    t.same(some.list, [{ id: list[0].id, used: 0 }])
    t.same(some.notFound, ['nothing'])
  })

  t.test('used is the size of the present messages', async (t) => {
    const hello = await limited.mailbox('live')
    const first = await hello.receive(mail({ body: 'one' }))
    const second = await hello.receive(mail({ body: 'two, longer' }))
    const sizes = [await sizeOf(hello, first), await sizeOf(hello, second)] as const
    t.equal((await quotaOf(hello)).used, sizes[0] + sizes[1])
    await hello.call('Email/set', { destroy: [first] })
    t.equal((await quotaOf(hello)).used, sizes[1])
    // Uploads have a separate quota (RFC 8620 6).
    await limited.core.upload(hello.principal, hello.accountId, 'text/plain', Buffer.alloc(50_000))
    t.equal((await quotaOf(hello)).used, sizes[1])
  })

  t.test('destroying the emails of a mailbox counts too', async (t) => {
    const hello = await limited.mailbox('folder')
    const id = await hello.receive(mail())
    const create = { m: { name: 'Old' } }
    const mailboxId = (await hello.call('Mailbox/set', { create })).created.m.id
    await hello.call('Email/set', { update: { [id]: { mailboxIds: { [mailboxId]: true } } } })
    const before = (await hello.call('Quota/get', { ids: null })).state
    await hello.call('Mailbox/set', { destroy: [mailboxId], onDestroyRemoveEmails: true })
    t.equal((await quotaOf(hello)).used, 0)
    t.same((await hello.call('Quota/changes', { sinceState: before })).updatedProperties, ['used'])
  })

  t.test('the state changes with used, and changes returns only that property (RFC 9425 4.2)', async (t) => {
    const hello = await limited.mailbox('changes')
    const { state, list } = await hello.call('Quota/get', { ids: null })
    const none = await hello.call('Quota/changes', { sinceState: state })
    matchWhole(t, none, {
      oldState: state,
      newState: state,
      created: [],
      updated: [],
      destroyed: [],
      updatedProperties: null,
    })
    await hello.receive(mail())
    await hello.receive(mail())
    const some = await hello.call('Quota/changes', { sinceState: state })
    matchWhole(t, some, { created: [], updated: [list[0].id], destroyed: [], updatedProperties: ['used'] })
    t.equal((await hello.call('Quota/get', { ids: null })).state, some.newState)
    t.not(some.newState, state)
  })

  t.test('updatedProperties can be used in Quota/get by result reference (RFC 9425 5.2)', async (t) => {
    const hello = await limited.mailbox('reference')
    const { state } = await hello.call('Quota/get', { ids: null })
    await hello.receive(mail())
    const { accountId } = hello
    const reference = (path: string) => ({ resultOf: '0', name: 'Quota/changes', path })
    const [, got] = await limited.request(
      [
        ['Quota/changes', { accountId, sinceState: state }],
        ['Quota/get', { accountId, '#ids': reference('/updated'), '#properties': reference('/updatedProperties') }],
      ],
      hello.principal,
    )
    const { list } = got![1] as unknown as { list: Record<string, unknown>[] }
    t.same(Object.keys(list[0]!).sort(), ['id', 'used'])
  })

  t.test('a change without effect on used is no change of the quota', async (t) => {
    const hello = await limited.mailbox('still')
    const id = await hello.receive(mail())
    const { state } = await hello.call('Quota/get', { ids: null })
    await hello.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } })
    t.equal((await hello.call('Quota/get', { ids: null })).state, state)
  })

  t.test('a change is pushed (RFC 9425 6)', async (t) => {
    const hello = await limited.mailbox('push')
    const heard: string[] = []
    const stop = limited.core.onStateChange(({ changed }) => {
      if (changed['Quota'] !== undefined) heard.push(changed['Quota'])
    })
    await hello.receive(mail())
    stop()
    t.same(heard, [(await hello.call('Quota/get', { ids: null })).state])
  })

  t.test('filters by name, scope, resourceType and type, all of which must match (RFC 9425 4.3)', async (t) => {
    const hello = await limited.mailbox('filters')
    const { id } = await quotaOf(hello)
    for (const [filter, found] of [
      [null, true],
      [{}, true],
      [{ name: 'tora' }, true],
      [{ name: 'other' }, false],
      [{ scope: 'account' }, true],
      [{ scope: 'acc' }, false],
      [{ resourceType: 'octets' }, true],
      [{ resourceType: 'count' }, false],
      [{ type: 'Email' }, true],
      [{ type: 'Calendar' }, false],
      [{ scope: 'account', type: 'Calendar' }, false],
      [{ operator: 'NOT', conditions: [{ type: 'Calendar' }] }, true],
    ] as const) {
      const { ids } = await hello.call('Quota/query', { filter })
      t.same(ids, found ? [id] : [], JSON.stringify(filter))
    }
    for (const property of ['name', 'used'])
      t.same((await hello.call('Quota/query', { sort: [{ property }], calculateTotal: true })).ids, [id])
    t.equal((await hello.call('Quota/query', { filter: { used: 0 } })).type, 'unsupportedFilter')
    t.equal((await hello.call('Quota/query', { sort: [{ property: 'scope' }] })).type, 'unsupportedSort')
  })

  t.test('queryChanges names the changed quota (RFC 9425 4.4)', async (t) => {
    const hello = await limited.mailbox('query-changes')
    const sort = [{ property: 'used' }]
    const { queryState, ids } = await hello.call('Quota/query', { sort })
    matchWhole(t, await hello.call('Quota/queryChanges', { sort, sinceQueryState: queryState }), {
      removed: [],
      added: [],
    })
    await hello.receive(mail())
    t.match(await hello.call('Quota/queryChanges', { sort, sinceQueryState: queryState }), {
      removed: ids,
      added: [{ id: ids[0], index: 0 }],
    })
  })

  t.test('there is no Quota/set (RFC 9425 1)', async (t) => {
    const hello = await limited.mailbox('set')
    t.equal((await hello.call('Quota/set', { update: {} })).type, 'unknownMethod')
  })

  t.test('the session has the capability as an empty object (RFC 9425 2.1)', async (t) => {
    const hello = await limited.mailbox('session')
    const session = (await limited.core.session(hello.principal, 'https://mail.example.test')) as {
      capabilities: Record<string, unknown>
      accounts: Record<string, { accountCapabilities: Record<string, unknown> }>
    }
    const name = 'urn:ietf:params:jmap:quota'
    t.same(session.capabilities[name], {})
    t.same(session.accounts[hello.accountId]!.accountCapabilities[name], {})
  })

  t.test('without a limit there is no quota, and mail does not change that', async (t) => {
    const { mailbox } = await startCore(t, engine)
    const hello = await mailbox('boundless')
    const { list, state } = await hello.call('Quota/get', { ids: null })
    t.same(list, [])
    await hello.receive(mail())
    t.equal((await hello.call('Quota/get', { ids: null })).state, state)
    t.same((await hello.call('Quota/query', {})).ids, [])
  })

  t.test('a limit that is added, changed or removed by a restart is a change (RFC 9425 4.2)', async (t) => {
    const { store, clock, mailbox } = await startCore(t, engine)
    const hello = await mailbox('restarts')
    /** As after a restart with that limit. */
    const start = async (mailboxStorageBytes: number) => {
      const core = await createCore({ store, clock, logger: silentLogger, limits: { mailboxStorageBytes } })
      await announceLimit(store, mailboxStorageBytes)
      return async (name: string, args: object) => {
        const methodCalls = [[name, { accountId: hello.accountId, ...args }, '0']] as [string, object, string][]
        const answer = await core.process(hello.principal, { using: USING, methodCalls: methodCalls as never })
        return (answer as unknown as { methodResponses: [string, Record<string, unknown>][] }).methodResponses[0]![1]
      }
    }
    const none = await hello.call('Quota/get', { ids: null })
    let call = await start(5_000)
    const { list } = (await call('Quota/get', { ids: null })) as { list: { id: string; hardLimit: number }[] }
    t.equal(list[0]!.hardLimit, 5_000)
    const { id } = list[0]!
    const come = await call('Quota/changes', { sinceState: none.state })
    matchWhole(t, come, { created: [id], updated: [], destroyed: [] })
    call = await start(6_000)
    const other = await call('Quota/changes', { sinceState: come['newState'] })
    matchWhole(t, other, { created: [], updated: [id], updatedProperties: null })
    call = await start(6_000)
    matchWhole(t, await call('Quota/changes', { sinceState: other['newState'] }), {
      updated: [],
      newState: other['newState'],
    })
    call = await start(0)
    const gone = await call('Quota/changes', { sinceState: other['newState'] })
    matchWhole(t, gone, { created: [], updated: [], destroyed: [id] })
    t.same((await call('Quota/get', { ids: null }))['list'], [])
  })
})
