import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { MIME_MAX_HEADER_BYTES, MIME_MAX_HEADER_FIELDS } from '../../../server/base/limits.ts'
import { type Result, startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail, octets } from '../mails.ts'

/** Fields that `mail` writes. */
const FIELDS = 3

await forEachEngine(t, async (t, engine) => {
  const { core, clock, mailbox, key, request } = await startCore(t, engine, { maxObjectsInSet: 3 })
  const hello = await mailbox('hello')
  const mailboxIds = { [hello.roles['inbox']!]: true }
  const upload = async (text: string, box: TestMailbox = hello) =>
    (await core.upload(box.principal, box.accountId, 'message/rfc822', octets(text)))!.blobId
  const importAll = (emails: JsonObject, more: JsonObject = {}) => hello.call('Email/import', { emails, ...more })
  const refused = async (email: object): Promise<Result> => {
    const { created, notCreated } = await importAll({ e: { mailboxIds, ...email } as JsonObject })
    return created === null ? notCreated.e : created
  }

  t.test('an uploaded message becomes an email (RFC 8621 4.8)', async (t) => {
    const before = (await hello.call('Email/get', { ids: [] })).state
    const blobId = await upload(mail({ subject: 'Imported' }))
    const result = await importAll({ e: { blobId, mailboxIds, keywords: { $Seen: true } } })
    t.same(Object.keys(result).sort(), ['accountId', 'created', 'newState', 'notCreated', 'oldState'])
    t.match(result, { accountId: hello.accountId, oldState: before, notCreated: null })
    const { created } = result
    t.same(Object.keys(created.e).sort(), ['blobId', 'id', 'size', 'threadId'])
    const [email] = (await hello.call('Email/get', { ids: [created.e.id] })).list
    t.match(email, { subject: 'Imported', keywords: { $seen: true }, mailboxIds, blobId })
    t.equal(result.newState, (await hello.call('Email/get', { ids: [] })).state)
  })

  t.test('receivedAt is the time of the newest Received field, else now (RFC 8621 4.8)', async (t) => {
    const received = [
      'Received: from b by c; Fri, 2 Jan 2026 10:00:00 +0200',
      'Received: from a by b; Thu, 1 Jan 2026 10:00:00 +0000',
    ]
    const at = async (text: string, more: object = {}) => {
      const { created } = await importAll({ e: { blobId: await upload(text), mailboxIds, ...more } })
      return (await hello.call('Email/get', { ids: [created.e.id], properties: ['receivedAt'] })).list[0].receivedAt
    }
    t.equal(await at(mail({ headers: received })), '2026-01-02T08:00:00Z')
    t.equal(Date.parse(await at(mail({ subject: 'No trace' }))), clock.now())
    t.equal(Date.parse(await at(mail({ headers: ['Received: nonsense'] }))), clock.now())
    const receivedAt = '2000-01-01T00:00:00Z'
    t.equal(await at(mail({ headers: received }), { receivedAt }), receivedAt)
  })

  t.test('the same message may be imported twice: two emails, one blob (RFC 8621 4.8)', async (t) => {
    const blobId = await upload(mail({ subject: 'Twice' }))
    const { created } = await importAll({ a: { blobId, mailboxIds }, b: { blobId, mailboxIds } })
    t.not(created.a.id, created.b.id)
    t.equal(created.a.blobId, created.b.blobId)
    await hello.call('Email/set', { update: { [created.a.id]: { 'keywords/only': true } } })
    const properties = ['keywords']
    const { list } = await hello.call('Email/get', { ids: [created.a.id, created.b.id], properties })
    t.same(
      list.map(({ keywords }: Result) => keywords),
      [{ only: true }, {}],
    )
  })

  t.test('a fault of one import refuses that import only (RFC 8621 4.8)', async (t) => {
    const blobId = await upload(mail())
    const { created, notCreated } = await importAll({
      good: { blobId, mailboxIds },
      bad: { blobId: 7, mailboxIds: [], keywords: { 'a b': 1 }, nonsense: true, receivedAt: 'now' } as JsonObject,
    })
    t.ok(created.good)
    t.equal(notCreated.bad.type, 'invalidProperties')
    t.same([...notCreated.bad.properties].sort(), ['blobId', 'keywords', 'mailboxIds', 'nonsense', 'receivedAt'])
  })

  t.test('a missing or unknown blob, mailbox or keyword is invalidProperties (RFC 8621 4.8)', async (t) => {
    const blobId = await upload(mail())
    t.match(await refused({}), { type: 'invalidProperties', properties: ['blobId'] })
    t.match(await refused({ blobId: 'x' }), { type: 'invalidProperties', properties: ['blobId'] })
    t.match(await refused({ blobId: '#x' }), { type: 'invalidProperties', properties: ['blobId'] })
    t.match(await refused({ blobId, mailboxIds: {} }), { type: 'invalidProperties', properties: ['mailboxIds'] })
    t.match(await refused({ blobId, mailboxIds: { x: true } }), {
      type: 'invalidProperties',
      properties: ['mailboxIds'],
    })
    t.match(await refused({ blobId, keywords: { 'a b': true } }), {
      type: 'invalidProperties',
      properties: ['keywords'],
    })
  })

  t.test('creation ids name mailboxes, and the imported email (pitfall 5)', async (t) => {
    const { accountId } = hello
    const blobId = await upload(mail({ subject: 'By reference' }))
    const answers = await request(
      [
        ['Mailbox/set', { accountId, create: { c: { name: 'Imported here' } } }],
        ['Email/import', { accountId, emails: { m: { blobId, mailboxIds: { '#c': true } } } }],
        ['Email/get', { accountId, ids: ['#m'], properties: ['mailboxIds'] }],
      ],
      hello.principal,
    )
    const [boxes, , got] = answers.map(([, args]) => args as Result)
    t.same(got.list[0].mailboxIds, { [boxes.created.c.id]: true })
  })

  t.test('a blob of another account cannot be imported (promise J2)', async (t) => {
    const other = await mailbox('other')
    const blobId = await upload(mail({ subject: 'Theirs' }), other)
    t.match(await refused({ blobId }), { type: 'invalidProperties', properties: ['blobId'] })
    const received = await other.receive(mail({ subject: 'Theirs too' }))
    const [email] = (await other.call('Email/get', { ids: [received], properties: ['blobId'] })).list
    t.match(await refused({ blobId: email.blobId }), { type: 'invalidProperties', properties: ['blobId'] })
    const own = await other.call('Email/import', {
      emails: { e: { blobId, mailboxIds: { [other.roles['inbox']!]: true } } },
    })
    t.ok(own.created, 'control: its owner can')
  })

  t.test('an empty blob is not mail (RFC 8621 4.8)', async (t) => {
    t.match(await refused({ blobId: await upload('') }), { type: 'invalidEmail' })
  })

  t.test('an import accepts exactly the blobs that Email/parse accepts (RFC 8621 4.8, 4.9)', async (t) => {
    const fields = (count: number) => mail({ headers: Array.from({ length: count - FIELDS }, (_, at) => `X-${at}: y`) })
    const octets = (size: number) => mail({ headers: [`X: ${'y'.repeat(size)}`] })
    const cases = {
      'no header field': 'only words\n',
      'octets of a picture': '\xff\xd8\xff\xe0',
      'a field more than MIME_MAX_HEADER_FIELDS': fields(MIME_MAX_HEADER_FIELDS + 1),
      'more octets than MIME_MAX_HEADER_BYTES': octets(MIME_MAX_HEADER_BYTES),
      'as many fields as may be': fields(MIME_MAX_HEADER_FIELDS),
      'and trace fields of servers before them': `Return-Path: <a@b>\nReceived: x\n${fields(MIME_MAX_HEADER_FIELDS)}`,
      'trace fields beyond what servers add': `${'Received: x\n'.repeat(20)}${fields(MIME_MAX_HEADER_FIELDS)}`,
      'octets within the bound': octets(MIME_MAX_HEADER_BYTES - 1_000),
    }
    const verdicts = { parsed: [] as string[], imported: [] as string[] }
    for (const [name, text] of Object.entries(cases)) {
      const blobId = await upload(text)
      const { notParsable } = await hello.call('Email/parse', { blobIds: [blobId], properties: ['subject'] })
      if (!notParsable) verdicts.parsed.push(name)
      const { created, notCreated } = await importAll({ e: { blobId, mailboxIds } })
      if (created) verdicts.imported.push(name)
      else t.equal(notCreated.e.type, 'invalidEmail', name)
    }
    t.same(verdicts.imported, verdicts.parsed)
    t.same(verdicts.imported, [
      'as many fields as may be',
      'and trace fields of servers before them',
      'octets within the bound',
    ])
  })

  t.test('an attached message can be imported by the blobId of its part', async (t) => {
    const inner = mail({ subject: 'Inner' })
    const outer = await hello.receive(
      `From: a@example.org\nSubject: Outer\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\n${inner}\n--b--\n`,
    )
    const [email] = (await hello.call('Email/get', { ids: [outer], properties: ['attachments'] })).list
    const { created } = await importAll({ e: { blobId: email.attachments[0].blobId, mailboxIds } })
    const [own] = (await hello.call('Email/get', { ids: [created.e.id], properties: ['subject'] })).list
    t.equal(own.subject, 'Inner')
  })

  t.test('messages with UTF-8 header fields are accepted (RFC 8621 4.8, RFC 6532)', async (t) => {
    const raw = mail({ from: 'Jürgen <jürgen@exämple.org>', subject: 'Grüße' })
    const { created } = await importAll({ e: { blobId: await upload(raw), mailboxIds } })
    const [email] = (await hello.call('Email/get', { ids: [created.e.id] })).list
    t.match(email, { subject: 'Grüße', from: [{ name: 'Jürgen', email: 'jürgen@exämple.org' }] })
  })

  t.test('ifInState and the number of emails are checked (RFC 8621 4.8)', async (t) => {
    const blobId = await upload(mail())
    const email = { blobId, mailboxIds }
    t.same(await importAll({ e: email }, { ifInState: 'x' }), { type: 'stateMismatch' })
    t.match(await importAll({ a: email, b: email, c: email, d: email }), { type: 'requestTooLarge' })
    t.match(await importAll({}), { created: null, notCreated: null })
  })

  t.test('an import over quota is refused (RFC 8621 4.8)', async (t) => {
    const small = await startCore(t, engine, { mailboxStorageBytes: 1_000 })
    const box = await small.mailbox('small')
    const bytes = octets(mail({ body: 'x'.repeat(600) }))
    const { blobId } = (await small.core.upload(box.principal, box.accountId, 'message/rfc822', bytes))!
    const email = { blobId, mailboxIds: { [box.roles['inbox']!]: true } }
    const { created, notCreated } = await box.call('Email/import', { emails: { a: email, b: email } })
    t.same(Object.keys(created), ['a'])
    t.same(notCreated, { b: { type: 'overQuota' } })
  })

  t.test("the source of an API key's email is the API (decision D13)", async (t) => {
    const { principal } = await key({ scopes: ['messages:write', 'messages:read'] })
    const { accountId } = hello
    const blob = await core.upload(principal, accountId, 'message/rfc822', octets(mail({ subject: 'By key' })))
    const [made] = await request(
      [['Email/import', { accountId, emails: { e: { blobId: blob!.blobId, mailboxIds } } }]],
      principal,
    )
    const { id } = (made![1] as Result).created.e
    t.equal((await hello.call('Email/get', { ids: [id], properties: ['source'] })).list[0].source, 'api')
  })
})
