import { createPublicKey } from 'node:crypto'
import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, organization, organizationWith, domainId, mailbox, key, request } = await startCore(t, engine)
  const { accountId } = organization
  const owner = (await key({ scopes: ['domains:read', 'domains:write', 'mailboxes:write'] })).principal
  const call = async (name: string, args: JsonObject = {}, asking = owner): Promise<Result> =>
    (await request([[name, { accountId, ...args }]], asking))[0]![1]
  const create = async (domain: JsonObject, asking = owner): Promise<Result> => {
    const { created, notCreated } = await call('Domain/set', { create: { d: domain } }, asking)
    return created?.d ?? notCreated.d
  }
  const read = async (id: string): Promise<Result> => (await call('Domain/get', { ids: [id] })).list[0]

  t.test('a new domain is pending and has its own DKIM key (decision D7)', async (t) => {
    const made = await create({ name: 'fresh.org' })
    t.match(await read(made.id), {
      name: 'fresh.org',
      status: 'pending',
      managedBy: 'external',
      dnsProvider: 'manual',
      mxVerified: false,
      dkimVerified: false,
      catchAllMailboxId: null,
      verifiedAt: null,
      createdAt: /Z$/,
      updatedAt: /Z$/,
    })
    const { dkim } = await read(made.id)
    t.equal(dkim.recordName, `${dkim.selector}._domainkey.fresh.org`)
    t.equal(dkim.recordValue, `v=DKIM1; k=rsa; p=${dkim.publicKey}`)
    const bytes = Buffer.from(dkim.publicKey, 'base64')
    t.equal(createPublicKey({ key: bytes, format: 'der', type: 'spki' }).asymmetricKeyDetails!.modulusLength, 2048)
    t.not(dkim.publicKey, (await read(domainId)).dkim.publicKey)
    t.notMatch(JSON.stringify(await read(made.id)), 'PRIVATE')
  })

  t.test('a name is stored in lower case and in A-labels (decision D7)', async (t) => {
    t.equal((await read((await create({ name: 'BÜCHER.Org.' })).id)).name, 'xn--bcher-kva.org')
    t.equal((await create({ name: 'Upper.ORG' })).name, 'upper.org', 'and the client is told')
  })

  t.test('a name that cannot be a mail domain is refused (decision D7)', async (t) => {
    const names = [
      '',
      'localhost',
      'single',
      '192.0.2.1',
      '[::1]',
      'a..b',
      '-a.org',
      'a b.org',
      'x@y.org',
      'y.org:25',
      'y.org/z',
      'x.localhost',
      `${'a'.repeat(250)}.org`,
    ]
    for (const name of names) t.match(await create({ name }), { type: 'invalidProperties', properties: ['name'] }, name)
    t.match(await create({ name: 7 }), { type: 'invalidProperties', properties: ['name'] })
  })

  t.test('a domain that the organization already has is alreadyExists (decision D7)', async (t) => {
    t.match(await create({ name: 'Example.TEST' }), { type: 'alreadyExists', existingId: domainId })
  })

  t.test(
    'a name that another organization has verified can be added, but stays with that organization (decision D7)',
    async (t) => {
      const foreign = await organizationWith('claimed.test')
      const box = await foreign.mailbox('hello')
      const made = await create({ name: 'claimed.test' }, SYSTEM)
      t.equal((await read(made.id)).status, 'pending')
      t.same(await core.recipients(['hello@claimed.test']), [{ status: 'accepted', account: box.account }])
      const { notCreated } = await call('MailAccount/set', { create: { m: { domainId: made.id, localPart: 'x' } } })
      t.match(notCreated.m, { type: 'domainNotVerified', domain: 'claimed.test' })
    },
  )

  t.test('the name and the results of checks cannot be changed', async (t) => {
    for (const [name, value] of Object.entries({
      name: 'x.org',
      status: 'failed',
      mxVerified: false,
      verifiedAt: null,
    }))
      t.match(
        (await call('Domain/set', { update: { [domainId]: { [name]: value } } })).notUpdated[domainId],
        {
          type: 'invalidProperties',
          properties: [name],
        },
        name,
      )
  })

  t.test('catchAllMailboxId is a mailbox of this domain, or null (decision D7)', async (t) => {
    const taker = await mailbox('taker')
    const second = await create({ name: 'second.test' }, SYSTEM)
    const set = (id: string, catchAllMailboxId: string | null) =>
      call('Domain/set', { update: { [id]: { catchAllMailboxId } } })
    t.same(Object.keys((await set(domainId, taker.accountId)).updated), [domainId])
    for (const value of ['x', accountId, '#x'])
      t.match((await set(domainId, value)).notUpdated[domainId], { type: 'invalidProperties' })
    t.match((await set(second.id, taker.accountId)).notUpdated[second.id], {
      type: 'invalidProperties',
      properties: ['catchAllMailboxId'],
    })
    t.equal((await read(domainId)).catchAllMailboxId, taker.accountId)
    t.match(await create({ name: 'third.test', catchAllMailboxId: taker.accountId }), {
      type: 'invalidProperties',
      properties: ['catchAllMailboxId'],
    })
    await set(domainId, null)
    t.equal((await read(domainId)).catchAllMailboxId, null)
  })

  t.test('updatedAt changes with a change, and not with an update that changes nothing', async (t) => {
    const made = await create({ name: 'dated.org' })
    const { state } = await call('Domain/get', { ids: [] })
    t.same((await call('Domain/set', { update: { [made.id]: { dmarcManagedExternally: false } } })).updated, {
      [made.id]: null,
    })
    t.equal((await call('Domain/get', { ids: [] })).state, state)
    const { updated } = await call('Domain/set', { update: { [made.id]: { dmarcManagedExternally: true } } })
    t.type(updated[made.id].updatedAt, 'string')
  })

  t.test('a domain with mailboxes cannot be deleted; one without can, and can be added again', async (t) => {
    const made = await create({ name: 'going.test' }, SYSTEM)
    const account = await call('MailAccount/set', { create: { m: { domainId: made.id, localPart: 'x' } } })
    t.match((await call('Domain/set', { destroy: [made.id] })).notDestroyed[made.id], { type: 'forbidden' })
    await call('MailAccount/set', { destroy: [account.created.m.id] }, SYSTEM)
    t.same((await call('Domain/set', { destroy: [made.id] })).destroyed, [made.id])
    t.same(await core.recipients(['x@going.test']), [{ status: 'notLocal' }])
    t.not((await create({ name: 'going.test' })).id, made.id, 'an id is never used again')
  })

  t.test('a domain is deleted with its mailboxes and aliases on request (decision D7)', async (t) => {
    const made = await create({ name: 'whole.test' }, SYSTEM)
    const stays = await mailbox('stays')
    const mailboxes = { m: { domainId: made.id, localPart: 'goes' } }
    const account = (await call('MailAccount/set', { create: mailboxes }, SYSTEM)).created.m
    const alias = (localPart: string, mailboxId: string) => ({ domainId: made.id, localPart, mailboxId })
    const aliases = { a: alias('one', account.id), b: alias('two', stays.accountId) }
    await call('Alias/set', { create: aliases }, SYSTEM)
    const addresses = ['goes@whole.test', 'one@whole.test', 'two@whole.test']
    const taken = async () => (await core.recipients(addresses)).map(({ status }) => status)
    t.same(await taken(), ['accepted', 'accepted', 'accepted'])
    t.match((await call('Domain/set', { destroy: [made.id] })).notDestroyed[made.id], { type: 'forbidden' })
    const { destroyed } = await call('Domain/set', { destroy: [made.id], onDestroyRemoveMailAccounts: true })
    t.same(destroyed, [made.id])
    t.same(await taken(), ['notLocal', 'notLocal', 'notLocal'])
    t.same((await call('MailAccount/get', { ids: [account.id] }, SYSTEM)).notFound, [account.id])
    t.same((await call('Alias/query', { filter: { domainId: made.id } }, SYSTEM)).ids, [])
    const { list } = await stays.call('Identity/get', { ids: null })
    t.same(
      list.map(({ email }: { email: string }) => email),
      [stays.address],
      'the mailbox of the other domain stays, without the address',
    )
  })

  t.test('a public suffix is refused, and names below it are accepted (decision D7)', async (t) => {
    for (const name of ['co.uk', 'com.au', 'org.br'])
      t.match(await create({ name }), { type: 'invalidProperties', properties: ['name'] }, name)
    for (const name of ['acme-suffix.co.uk', 'mail.acme-suffix.co.uk']) t.ok((await create({ name })).id, name)
  })

  t.test('lists filter by name and status, newest first, and page by key', async (t) => {
    const { ids } = await call('Domain/query')
    const { list } = await call('Domain/get', { ids })
    t.same(
      list.map(({ id }: { id: string }) => id),
      ids,
    )
    t.same((await call('Domain/query', { filter: { name: 'example.test' } })).ids, [domainId])
    t.ok((await call('Domain/query', { filter: { status: 'verified' } })).ids.includes(domainId))
    t.same((await call('Domain/query', { filter: { beforeId: ids[0] } })).ids, ids.slice(1))
    const names = (await call('Domain/query', { sort: [{ property: 'name' }] })).ids
    const sorted = (await call('Domain/get', { ids: names })).list.map(({ name }: { name: string }) => name)
    t.same(sorted, sorted.toSorted())
  })

  t.test('a key that is limited to domains cannot see others (decision D5)', async (t) => {
    const made = await create({ name: 'limited.test' }, SYSTEM)
    const scopes = ['domains:read', 'domains:write', 'mailboxes:read', 'mailboxes:write']
    const limited = (await key({ scopes, domainIds: [made.id] })).principal
    t.same((await call('Domain/query', {}, limited)).ids, [made.id])
    t.same((await call('Domain/get', { ids: null }, limited)).list.length, 1)
    t.same((await call('Domain/get', { ids: [domainId] }, limited)).notFound, [domainId])
    t.match((await call('Domain/set', { destroy: [domainId] }, limited)).notDestroyed[domainId], { type: 'notFound' })
    t.match(await create({ name: 'more.org' }, limited), { type: 'forbidden' })
    const { state } = await call('Domain/get', { ids: [] })
    await create({ name: 'unseen.org' })
    t.same((await call('Domain/changes', { sinceState: state }, limited)).created, [])
    t.equal((await call('Domain/changes', { sinceState: state })).created.length, 1, 'control')
  })

  t.test("another organization's domain is not found", async (t) => {
    const foreign = await organizationWith('apart.test')
    t.same((await call('Domain/get', { ids: [foreign.domainId] })).notFound, [foreign.domainId])
    t.match((await call('Domain/set', { destroy: [foreign.domainId] })).notDestroyed[foreign.domainId], {
      type: 'notFound',
    })
  })
})
