import t from 'tap'
import type { Invocation } from '../../../../jmap/protocol/messages.ts'
import type { JsonObject } from '../../../../server/base/json.ts'
import { type Result, startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox, organization, organizationWith, key, request } = await startCore(t, engine)
  const from = await mailbox('from')
  const to = await mailbox('to')
  const foreign = await (await organizationWith('foreign.test')).mailbox('foreign')
  const { principal } = await key({ scopes: ['messages:read', 'messages:write', 'mailboxes:read'] })
  const inbox = to.roles['inbox']!
  const calls = async (args: JsonObject, asking = principal): Promise<readonly Invocation[]> =>
    request([['Email/copy', { fromAccountId: from.accountId, accountId: to.accountId, ...args }]], asking)
  const copy = async (args: JsonObject, asking = principal): Promise<Result> => (await calls(args, asking))[0]![1]
  const stateOf = async (box: typeof from) => (await box.call('Email/get', { ids: [] })).state as string

  t.test('a copy is a separate email in the other account (RFC 8620 5.4)', async (t) => {
    const id = await from.receive(mail({ subject: 'Copied' }))
    const before = await stateOf(to)
    const result = await copy({ create: { c: { id, mailboxIds: { [inbox]: true } } } })
    t.match(result, { fromAccountId: from.accountId, accountId: to.accountId, oldState: before, notCreated: null })
    t.equal(result.newState, await stateOf(to))
    const made = result.created.c
    t.same(Object.keys(made).sort(), ['blobId', 'id', 'size', 'threadId'], 'RFC 8621 4.7')
    const [own] = (await to.call('Email/get', { ids: [made.id], properties: ['subject', 'size'] })).list
    t.same(own, { id: made.id, subject: 'Copied', size: made.size })
    t.same((await from.call('Email/get', { ids: [id] })).notFound, [], 'the original stays')
  })

  t.test('the same account on both sides is invalidArguments (RFC 8620 5.4)', async (t) => {
    t.match(await copy({ accountId: from.accountId, create: {} }), { type: 'invalidArguments' })
  })

  t.test('a missing source account is fromAccountNotFound (RFC 8620 5.4)', async (t) => {
    for (const fromAccountId of ['x', foreign.accountId])
      t.same(await copy({ fromAccountId, create: {} }), { type: 'fromAccountNotFound' })
    t.same(await copy({ fromAccountId: organization.accountId, create: {} }), {
      type: 'fromAccountNotSupportedByMethod',
    })
    t.same(await copy({ create: {} }, to.principal), { type: 'fromAccountNotFound' }, 'a mailbox sees itself only')
  })

  t.test('a missing original is notFound, and so is one of the target account (RFC 8620 5.4)', async (t) => {
    const own = await to.receive(mail())
    const mailboxIds = { [inbox]: true }
    const { created, notCreated } = await copy({
      create: { a: { id: 'x', mailboxIds }, b: { id: own, mailboxIds } },
    })
    t.equal(created, null)
    t.match(notCreated, { a: { type: 'notFound' }, b: { type: 'notFound' } })
  })

  t.test('the copy is refused by the rules of the target (RFC 8620 5.4)', async (t) => {
    const id = await from.receive(mail({ subject: 'Copy 1' }))
    const { notCreated } = await copy({
      create: {
        none: { id },
        empty: { id, mailboxIds: {} },
        theirs: { id, mailboxIds: { [from.roles['inbox']!]: true } },
      },
    })
    for (const name of ['none', 'empty', 'theirs'])
      t.match(notCreated[name], { type: 'invalidProperties', properties: ['mailboxIds'] }, name)
  })

  t.test('the states of both accounts are checked (RFC 8620 5.4)', async (t) => {
    const id = await from.receive(mail({ subject: 'Copy 2' }))
    const create = { c: { id, mailboxIds: { [inbox]: true } } }
    t.same(await copy({ ifFromInState: 'x', create }), { type: 'stateMismatch' })
    t.same(await copy({ ifInState: 'x', create }), { type: 'stateMismatch' })
    const states = { ifFromInState: await stateOf(from), ifInState: await stateOf(to) }
    t.ok((await copy({ ...states, create })).created.c)
  })

  t.test(
    'onSuccessDestroyOriginal destroys copied originals, after the response, under its id (RFC 8620 5.4)',
    async (t) => {
      const id = await from.receive(mail({ subject: 'Copy 3' }))
      const create = { c: { id, mailboxIds: { [inbox]: true } }, d: { id: 'x', mailboxIds: { [inbox]: true } } }
      const [first, second] = await calls({ create, onSuccessDestroyOriginal: true })
      t.match(first, ['Email/copy', { created: { c: {} } }, '0'])
      t.match(second, ['Email/set', { accountId: from.accountId, destroyed: [id], notDestroyed: null }, '0'])
    },
  )

  t.test('if nothing was copied, nothing is destroyed', async (t) => {
    const id = await from.receive(mail({ subject: 'Copy 4' }))
    const answers = await calls({ create: { c: { id } }, onSuccessDestroyOriginal: true })
    t.equal(answers.length, 1)
    t.same((await from.call('Email/get', { ids: [id] })).notFound, [])
  })

  t.test('destroyFromIfInState is passed to the implicit call (RFC 8620 5.4)', async (t) => {
    const id = await from.receive(mail({ subject: 'Copy 5' }))
    const create = { c: { id, mailboxIds: { [inbox]: true } } }
    const [first, second] = await calls({ create, onSuccessDestroyOriginal: true, destroyFromIfInState: 'x' })
    t.ok((first![1] as Result).created.c)
    t.match(second, ['error', { type: 'stateMismatch' }, '0'])
    t.same((await from.call('Email/get', { ids: [id] })).notFound, [])
  })

  t.test('a key needs to read in the first account and to write in the other', async (t) => {
    const writer = await key({ scopes: ['messages:write'] })
    t.match(await copy({ create: {} }, writer.principal), { type: 'forbidden' })
    const reader = await key({ scopes: ['messages:read', 'mailboxes:write'] })
    t.match(await copy({ create: {} }, reader.principal), { type: 'forbidden' })
    const nothing = await key({ scopes: ['messages:read'] })
    t.match(await copy({ create: {} }, nothing.principal), { type: 'accountReadOnly' })
  })

  t.test('a creation id of an earlier call names the original, and the copy has its own', async (t) => {
    const mailboxIds = { [from.roles['drafts']!]: true }
    const answers = await request(
      [
        ['Email/set', { accountId: from.accountId, create: { draft: { mailboxIds, subject: 'Draft' } } }],
        [
          'Email/copy',
          {
            fromAccountId: from.accountId,
            accountId: to.accountId,
            create: { there: { id: '#draft', mailboxIds: { [inbox]: true } } },
          },
        ],
        ['Email/get', { accountId: to.accountId, ids: ['#there'], properties: ['subject'] }],
      ],
      principal,
    )
    t.match((answers[2]![1] as Result).list, [{ subject: 'Draft' }])
  })
})
