import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { PLANS } from '../../../server/base/sending-limits.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { clock, domainId, key, mailbox, organization, request } = await startCore(t, engine, {
    plan: { ...PLANS.team, sends: 40 },
  })
  const { accountId: org } = organization
  const box = await mailbox('hello')
  const other = await mailbox('other')
  const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
  const EMAIL = { to: [{ email: 'ann@example.org' }], subject: 'Hi', textBody: [{ partId: 't', type: 'text/plain' }] }
  const email = (more: object = {}): JsonObject => ({ ...EMAIL, bodyValues: { t: { value: 'Hello.' } }, ...more })
  const send = async (create: JsonObject): Promise<Result> => box.call('Email/send', { create })
  const sendOne = async (more: object, message: object = {}): Promise<Result> => {
    const { created, notCreated } = await send({ m: { email: email(message), ...more } })
    return created?.m ?? notCreated.m
  }
  const get = async (id: string, properties: readonly string[]) =>
    (await box.call('Email/get', { ids: [id], properties })).list[0]
  const count = async (name: string) => (await box.call(`${name}/query`, { calculateTotal: true })).total as number
  const inOrganization = async (name: string, args: object, who = principal): Promise<Result> =>
    ((await request([[name, { accountId: org, ...args }]], who))[0] as Result)[1]

  t.test('one call creates a message, stores it in Sent and queues it', async (t) => {
    const made = await sendOne({ tags: { order: '17' } })
    const told = await get(made.id, ['mailboxIds', 'keywords', 'from', 'source', 'deliveryStatus', 'tags', 'threadId'])
    t.match(told, {
      mailboxIds: { [box.roles['sent']!]: true },
      keywords: { $seen: true },
      from: [{ name: null, email: box.address }],
      source: 'jmap',
      deliveryStatus: 'queued',
      tags: { order: '17' },
      threadId: made.threadId,
    })
    const { list } = await box.call('EmailSubmission/get', {
      ids: [made.submissionId],
      properties: ['emailId', 'tags'],
    })
    t.same(list, [{ id: made.submissionId, emailId: made.id, tags: { order: '17' } }])
  })

  t.test('later calls can use its creation id', async (t) => {
    const answers = await request(
      [
        ['Email/send', { accountId: box.accountId, create: { m: { email: email() } } }],
        ['Email/get', { accountId: box.accountId, ids: ['#m'], properties: ['subject'] }],
      ],
      box.principal,
    )
    t.equal((answers as Result)[1][1].list[0].subject, 'Hi')
  })

  t.test('the identity of From gives it a name if it has none', async (t) => {
    const [own] = (await box.call('Identity/get', { ids: null })).list
    await box.call('Identity/set', { update: { [own.id]: { name: 'Hello there' } } })
    const from = async (more: object, given: object = {}) => (await get((await sendOne(given, more)).id, ['from'])).from
    t.same(await from({}), [{ name: 'Hello there', email: box.address }])
    const tagged = 'hello+tag@example.test'
    t.same(await from({ from: [{ email: tagged }] }), [{ name: 'Hello there', email: tagged }])
    t.same(await from({ from: [{ name: 'Me', email: box.address }] }), [{ name: 'Me', email: box.address }])
    t.same(await from({}, { identityId: own.id }), [{ name: 'Hello there', email: box.address }])
    await box.call('Identity/set', { update: { [own.id]: { name: '' } } })
  })

  t.test('a refused message leaves nothing, and does not stop others of the call', async (t) => {
    await inOrganization(
      'Suppression/set',
      { create: { s: { email: 'gone@example.org' } } },
      (await key({ scopes: ['suppressions:write'] })).principal,
    )
    const before = [await count('Email'), await count('EmailSubmission')]
    const { created, notCreated } = await send({
      good: { email: email() },
      suppressed: { email: email({ to: [{ email: 'gone@example.org' }] }) },
      nobody: { email: email({ to: [] }) },
      foreign: { email: email({ from: [{ email: other.address }] }) },
      body: { email: email({ bodyValues: {} }) },
      tags: { email: email(), tags: { 'no name': 'x' } },
      member: { email: email(), shout: true },
      identity: { email: email(), identityId: 'idn_nothing' },
      envelope: { email: email(), envelope: { mailFrom: { email: box.address }, rcptTo: [] } },
      nothing: {},
    })
    t.same(Object.keys(created), ['good'])
    const types = Object.fromEntries(Object.entries<Result>(notCreated).map(([id, error]) => [id, error.type]))
    t.same(types, {
      suppressed: 'invalidRecipients',
      nobody: 'noRecipients',
      foreign: 'forbiddenFrom',
      body: 'invalidProperties',
      tags: 'invalidProperties',
      member: 'invalidProperties',
      identity: 'invalidProperties',
      envelope: 'noRecipients',
      nothing: 'invalidProperties',
    })
    t.same(notCreated.suppressed.suppressed, ['gone@example.org'])
    t.same([await count('Email'), await count('EmailSubmission')], [before[0]! + 1, before[1]! + 1])
  })

  t.test('sends are counted, and a send beyond the plan is refused', async (t) => {
    const to = Array.from({ length: 40 }, (_, i) => ({ email: `r${i}@example.org` }))
    const refused = await sendOne({}, { to: [...to, { email: 'one.more@example.org' }] })
    t.match(refused, { type: 'overQuota', quota: { resource: 'sends', limit: 40 } })
  })

  t.test('without saveToSent no copy stays, but the record of its delivery does (decision D29)', async (t) => {
    const made = await sendOne({ saveToSent: false, tags: { kind: 'quiet' } }, { cc: [{ email: 'ben@example.org' }] })
    t.same((await box.call('Email/get', { ids: [made.id] })).notFound, [made.id])
    const { list } = await inOrganization('SentMessage/get', { ids: [made.id] })
    t.match(list, [
      {
        id: made.id,
        mailboxId: box.accountId,
        submissionId: made.submissionId,
        threadId: made.threadId,
        isDeleted: true,
        deliveryStatus: 'queued',
        tags: { kind: 'quiet' },
        recipients: [{ address: 'ann@example.org' }, { address: 'ben@example.org' }],
        email: { subject: 'Hi', from: [{ email: box.address }], to: [{ email: 'ann@example.org' }], source: 'jmap' },
      },
    ])
  })

  t.test('an email that is deleted later also leaves the record', async (t) => {
    const made = await sendOne({})
    const record = async () => (await inOrganization('SentMessage/get', { ids: [made.id] })).list[0]
    t.match(await record(), { isDeleted: false, email: { subject: 'Hi' } })
    await box.call('Email/set', { destroy: [made.id] })
    t.match(await record(), { isDeleted: true, email: { subject: 'Hi', bcc: null } })
  })

  t.test('sent messages are listed over all mailboxes, the newest first, page by page', async (t) => {
    clock.advance(1_000)
    const mine = await sendOne({ tags: { campaign: 'spring' } })
    clock.advance(1_000)
    const { created } = await other.call('Email/send', { create: { m: { email: email() } } })
    clock.advance(1_000)
    const until = new Date(clock.now() + 60_000).toISOString().replace('.000Z', 'Z')
    const mailFrom = { email: box.address, parameters: { HOLDUNTIL: until } }
    const later = await sendOne({ envelope: { mailFrom, rcptTo: [{ email: 'ann@example.org' }] } })
    const query = async (filter: object | null, limit = 10, who = principal) =>
      (await inOrganization('SentMessage/query', { filter, limit }, who)).ids
    t.same(await query(null, 3), [later.id, created.m.id, mine.id])
    t.same(await query({ mailboxId: other.accountId }), [created.m.id])
    t.same(await query({ tag: { name: 'campaign', value: 'spring' } }), [mine.id])
    t.same(await query({ tag: { name: 'campaign', value: 'autumn' } }), [])
    t.same(await query({ status: 'scheduled' }), [later.id])
    t.same(await query({ status: 'cancelled' }), [])
    const [record] = (await inOrganization('SentMessage/get', { ids: [later.id] })).list
    t.match(record, { deliveryStatus: 'scheduled', scheduledAt: until })
    const after = { submittedAt: record.submittedAt, submissionId: record.submissionId }
    t.same(await query({ after }, 2), [created.m.id, mine.id])
    const limited = await key({ scopes: ['messages:read'], mailboxIds: [other.accountId] })
    t.same(await query(null, 10, limited.principal), [created.m.id], 'a key sees the mailboxes that it may use')
    t.same(await query({ mailboxId: box.accountId }, 10, limited.principal), [])
    t.same((await inOrganization('SentMessage/get', { ids: [mine.id] }, limited.principal)).notFound, [mine.id])
    await box.call('EmailSubmission/set', { update: { [later.submissionId]: { undoStatus: 'canceled' } } })
    t.same(await query({ status: 'cancelled' }), [later.id])
    t.same(await query({ status: 'scheduled' }), [])
  })

  t.test('messages of a deleted mailbox are not listed', async (t) => {
    const brief = await mailbox('brief')
    const { created } = await brief.call('Email/send', { create: { m: { email: email() } } })
    const first = async () => (await inOrganization('SentMessage/query', { limit: 1 })).ids[0]
    t.equal(await first(), created.m.id)
    await request([['MailAccount/set', { accountId: org, destroy: [brief.accountId] }]])
    t.not(await first(), created.m.id)
    t.same((await inOrganization('SentMessage/get', { ids: [created.m.id] })).notFound, [created.m.id])
  })

  t.test('a mailbox is found by any address that it may send as', async (t) => {
    const create = { a: { domainId, localPart: 'alias', mailboxId: box.accountId } }
    const [made] = await request([['Alias/set', { accountId: org, create }]])
    const alias = (made as Result)[1].created.a.id
    const find = async (filter: object) =>
      inOrganization('MailAccount/query', { filter }, (await key({ scopes: ['mailboxes:read'] })).principal)
    for (const sendsAs of ['hello@example.test', 'HELLO+x@Example.Test', 'alias@example.test', 'alias+y@example.test'])
      t.same((await find({ sendsAs })).ids, [box.accountId], sendsAs)
    for (const sendsAs of ['nobody@example.test', 'no address', 'hello@elsewhere.test'])
      t.same((await find({ sendsAs })).ids, [], sendsAs)
    await request([['Alias/set', { accountId: org, update: { [alias]: { enabled: false } } }]])
    t.same((await find({ sendsAs: 'alias@example.test' })).ids, [])
    t.match(await find({ sendsAs: 'hello@example.test', domainId }), { type: 'unsupportedFilter' })
  })
})
