// Decision D16: an alias is another address of a mailbox, for sending and receiving.
import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import { UNLIMITED_PLAN } from '../../../server/base/sending-limits.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { sender } from '../../support/sending.ts'

await forEachEngine(t, async (t, engine) => {
  const plan = { ...UNLIMITED_PLAN, name: 'Small', mailboxes: 6, aliases: 4 }
  const { core, organization, domainId, mailbox, request, key, organizationWith } = await startCore(t, engine, { plan })
  const { accountId } = organization
  const [hello, other] = [await mailbox('hello'), await mailbox('other')]
  const [send, sendOther] = [await sender(core, hello), await sender(core, other)]
  const call = async (name: string, args: JsonObject, principal = SYSTEM): Promise<Result> =>
    (await request([[name, { accountId, ...args }]], principal))[0]![1]
  const create = async (alias: JsonObject, principal = SYSTEM): Promise<Result> => {
    const full = { domainId, mailboxId: hello.accountId, ...alias }
    const { created, notCreated } = await call('Alias/set', { create: { a: full } }, principal)
    return created?.a ?? notCreated.a
  }
  const update = async (id: string, patch: JsonObject): Promise<Result> => {
    const { updated, notUpdated } = await call('Alias/set', { update: { [id]: patch } })
    return updated ?? notUpdated[id]
  }
  const destroy = (id: string) => call('Alias/set', { destroy: [id] })
  const takes = async (address: string) => (await core.recipients([address]))[0]
  const identities = async (box: typeof hello) =>
    (await box.call('Identity/get', { ids: null })).list.map(({ email }: { email: string }) => email).sort()

  t.test('an alias receives mail, may be in From, and has an identity', async (t) => {
    t.match(await takes('sales@example.test'), { status: 'unknownUser' })
    t.match(await send.bySmtp(['a@example.org'], 'sales@example.test'), { reason: 'forbiddenFrom' }, 'control')
    const made = await create({ localPart: 'Sales', description: 'For orders' })
    t.match(made, { id: /^als_/, address: 'sales@example.test', localPart: 'sales' })
    t.match(await takes('sales@example.test'), { status: 'accepted', account: hello.account })
    t.match(await takes('Sales+order@example.test'), { status: 'accepted', account: hello.account })
    t.same(await identities(hello), ['hello@example.test', 'sales@example.test'])
    t.match(await send.bySmtp(['a@example.org'], 'sales@example.test'), { status: 'queued' })
    t.match(await send.byJmap(['a@example.org'], 'sales@example.test'), { id: /^sbm_/ })
    t.match(await sendOther.bySmtp(['a@example.org'], 'sales@example.test'), { reason: 'forbiddenFrom' })
    t.same((await destroy(made.id)).destroyed, [made.id])
    t.match(await takes('sales@example.test'), { status: 'unknownUser' })
    t.match(await send.bySmtp(['a@example.org'], 'sales@example.test'), { reason: 'forbiddenFrom' })
    t.same(await identities(hello), ['hello@example.test'])
  })

  t.test('an alias that two calls move at once ends at one mailbox, and both calls succeed', async (t) => {
    const { id } = await create({ localPart: 'contested' })
    const to = [other, hello, other, hello, other]
    const answers = await Promise.all(to.map(({ accountId: mailboxId }) => update(id, { mailboxId })))
    for (const answer of answers) t.ok(id in answer, 'each was done')
    const [{ mailboxId }] = (await call('Alias/get', { ids: [id] })).list
    for (const box of [hello, other])
      t.equal((await identities(box)).includes('contested@example.test'), box.accountId === mailboxId)
    await destroy(id)
  })

  t.test('a disabled alias neither receives nor sends, and its address stays in use', async (t) => {
    const { id } = await create({ localPart: 'off' })
    t.same(await update(id, { enabled: false }), { [id]: { updatedAt: '2026-01-01T00:00:00Z' } })
    t.match(await takes('off@example.test'), { status: 'unknownUser' })
    t.match(await send.bySmtp(['a@example.org'], 'off@example.test'), { reason: 'forbiddenFrom' })
    t.same(await identities(hello), ['hello@example.test'])
    t.match(await create({ localPart: 'off' }), { type: 'alreadyExists' })
    const taken = { create: { m: { domainId, localPart: 'off', password: 'Secret123' } } }
    t.match((await call('MailAccount/set', taken)).notCreated.m, { type: 'alreadyExists' })
    await update(id, { enabled: true })
    t.match(await takes('off@example.test'), { status: 'accepted' })
    await destroy(id)
  })

  t.test('an alias that moves to another mailbox takes its identity along', async (t) => {
    const { id } = await create({ localPart: 'team' })
    await update(id, { mailboxId: other.accountId })
    t.match(await takes('team@example.test'), { status: 'accepted', account: other.account })
    t.same(await identities(hello), ['hello@example.test'])
    t.same(await identities(other), ['other@example.test', 'team@example.test'])
    t.match(await send.bySmtp(['a@example.org'], 'team@example.test'), { reason: 'forbiddenFrom' })
    t.match(await sendOther.bySmtp(['a@example.org'], 'team@example.test'), { status: 'queued' })
    await destroy(id)
  })

  t.test('invalid values are refused by name', async (t) => {
    const owner = (await key({ scopes: ['domains:write'] })).principal
    const elsewhere = await organizationWith('elsewhere.test')
    const theirs = await elsewhere.mailbox('theirs')
    t.match(await create({ localPart: 'hello' }), { type: 'alreadyExists', existingId: hello.accountId })
    for (const localPart of ['', 'a b', '.a', 'a..b', 'a+b', 'x'.repeat(65), 'a@b'])
      t.match(await create({ localPart }), { type: 'invalidProperties', properties: ['localPart'] }, localPart)
    t.match(await create({ localPart: 'x', mailboxId: theirs.accountId }), { properties: ['mailboxId'] })
    t.match(await create({ localPart: 'x', domainId: elsewhere.domainId }), { properties: ['domainId'] })
    const pending = (await call('Domain/set', { create: { d: { name: 'pending.org' } } }, owner)).created.d.id
    t.match(await create({ localPart: 'x', domainId: pending }), { type: 'domainNotVerified' })
  })

  t.test('a plan limits the number of aliases and mailboxes', async (t) => {
    const made = []
    for (const localPart of ['a1', 'a2', 'a3', 'a4']) made.push((await create({ localPart })).id)
    const quota = { resource: 'aliases', used: 4, limit: 4, plan: 'Small' }
    const description = 'Alias limit reached: 4 of 4 on the Small plan.'
    t.same(await create({ localPart: 'a5' }), { type: 'overQuota', description, quota })
    await destroy(made[0])
    t.match(await create({ localPart: 'a5' }), { id: /^als_/ })
    for (const name of ['m3', 'm4', 'm5', 'm6']) await mailbox(name)
    const more = { create: { m: { domainId, localPart: 'm7', password: 'Secret123' } } }
    const full = { type: 'overQuota', description: 'Mailbox limit reached: 6 of 6 on the Small plan.' }
    t.match((await call('MailAccount/set', more)).notCreated.m, full)
  })

  t.test('a deleted mailbox deletes its aliases', async (t) => {
    const { list } = await call('Alias/get', { ids: null })
    t.ok(list.length > 0)
    await call('MailAccount/set', { destroy: [hello.accountId] })
    t.same((await call('Alias/get', { ids: null })).list, [])
    t.match(await takes(list[0].address), { status: 'unknownUser' })
    t.match(await create({ localPart: 'a2', mailboxId: other.accountId }), { id: /^als_/ }, 'the address is free')
  })

  t.test('a key that is limited to mailboxes neither sees nor creates aliases', async (t) => {
    const scopes = ['mailboxes:read', 'mailboxes:write']
    const { principal } = await key({ scopes, mailboxIds: [other.accountId] })
    t.same((await call('Alias/get', { ids: null }, principal)).list, [])
    t.match(await create({ localPart: 'mine', mailboxId: other.accountId }, principal), { type: 'forbidden' })
    t.equal((await call('Alias/get', { ids: null }, (await key({ scopes })).principal)).list.length, 1, 'control')
  })
})
