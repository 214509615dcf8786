import t from 'tap'
import { type Result, startCore, USING } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

const ALL = ['Mailbox', 'Thread', 'Email']

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, key, request } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const lookup = async (ids: readonly string[], typeNames: readonly string[] = ALL) =>
    hello.call('Blob/lookup', { typeNames, ids })
  const blobOf = async (email: string) => {
    const properties = ['blobId', 'threadId', 'mailboxIds', 'textBody']
    return (await hello.call('Email/get', { ids: [email], properties })).list[0] as Result
  }

  t.test('Blob/lookup finds the email, the thread and the mailboxes of a message (RFC 9404 4.3)', async (t) => {
    const email = await hello.receive(mail({ subject: 'Found' }))
    const archive = (await hello.call('Mailbox/set', { create: { a: { name: 'Archive it' } } })).created.a.id
    await hello.call('Email/set', { update: { [email]: { [`mailboxIds/${archive}`]: true } } })
    const { blobId, threadId, mailboxIds } = await blobOf(email)
    const answer = await lookup([blobId])
    t.equal(answer.accountId, hello.accountId)
    t.equal(answer.list.length, 1)
    const [{ id, matchedIds }] = answer.list
    t.equal(id, blobId)
    t.same(matchedIds, { ...matchedIds, Email: [email], Thread: [threadId] })
    t.same(matchedIds.Mailbox.toSorted(), Object.keys(mailboxIds).sort())
    t.equal(Object.keys(mailboxIds).length, 2)
  })

  t.test('Blob/lookup finds the email of a part', async (t) => {
    const email = await hello.receive(mail({ body: 'of a part' }))
    const { textBody } = await blobOf(email)
    const { list } = await lookup([textBody[0].blobId], ['Email'])
    t.same(list, [{ id: textBody[0].blobId, matchedIds: { Email: [email] } }])
  })

  t.test('Blob/lookup finds two emails with the same octets', async (t) => {
    const raw = mail({ subject: 'Twice' })
    const emails = [await hello.receive(raw), await hello.receive(raw)]
    const { blobId } = await blobOf(emails[0]!)
    const [{ matchedIds }] = (await lookup([blobId])).list
    t.same(matchedIds.Email, emails)
    t.equal(matchedIds.Mailbox.length, 1, 'each id once')
  })

  t.test('a blob that is unreferenced, missing or not visible has an empty list per type (RFC 9404 4.3)', async (t) => {
    const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
    const other = await mailbox('other')
    const upload = async (who = hello.principal, box = hello) =>
      (await core.upload(who, box.accountId, 'text/plain', Buffer.from(`upload ${who.username}`)))!.blobId
    const ids = [await upload(), await upload(principal), await upload(other.principal, other), 'nothing']
    const { list } = await lookup(ids)
    t.same(
      list,
      ids.map((id) => ({ id, matchedIds: { Mailbox: [], Thread: [], Email: [] } })),
    )
  })

  t.test('an email of another account is not found', async (t) => {
    const other = await mailbox('another')
    const raw = mail({ subject: 'In both' })
    await hello.receive(raw)
    const theirs = await other.receive(raw)
    const [{ blobId }] = (await other.call('Email/get', { ids: [theirs], properties: ['blobId'] })).list
    t.same((await lookup([blobId], ['Email'])).list, [{ id: blobId, matchedIds: { Email: [] } }])
    const { list } = await other.call('Blob/lookup', { typeNames: ['Email'], ids: [blobId] })
    t.same(list[0].matchedIds, { Email: [theirs] })
  })

  t.test('a type that is unknown or refers to no blobs is unknownDataType (RFC 9404 4.3)', async (t) => {
    for (const name of ['Nothing', 'Identity', 'email', '__proto__'])
      t.equal((await lookup([], [name, 'Email'])).type, 'unknownDataType', name)
    t.same((await lookup([], [])).list, [])
  })

  t.test('a type whose capability the request does not use is unknownDataType (RFC 9404 4.3)', async (t) => {
    const using = USING.filter((name) => name !== 'urn:ietf:params:jmap:mail')
    const call = ['Blob/lookup', { accountId: hello.accountId, typeNames: ['Email'], ids: [] }, '0'] as const
    const answer = (await core.process(hello.principal, { using, methodCalls: [[...call]] })) as Result
    t.match(answer.methodResponses, [['error', { type: 'unknownDataType' }, '0']])
    const control = (await core.process(hello.principal, { using: USING, methodCalls: [[...call]] })) as Result
    t.equal(control.methodResponses[0][0], 'Blob/lookup')
  })

  t.test('more than maxObjectsInGet is requestTooLarge; a key needs the scope', async (t) => {
    const many = Array.from({ length: core.limits.maxObjectsInGet + 1 }, (_, i) => `b${i}`)
    t.equal((await lookup(many)).type, 'requestTooLarge')
    const { principal } = await key({ scopes: ['mailboxes:read'] })
    const [answer] = await request([['Blob/lookup', { accountId: hello.accountId, typeNames: [], ids: [] }]], principal)
    t.match(answer, ['error', { type: 'forbidden' }])
  })

  t.test('the session advertises the limits in the accounts only (RFC 9404 3.1)', async (t) => {
    const session = (await core.session(hello.principal, 'https://mail.example.test')) as Result
    const name = 'urn:ietf:params:jmap:blob'
    t.same(session.capabilities[name], {})
    t.same(session.accounts[hello.accountId].accountCapabilities[name], {
      maxSizeBlobSet: core.limits.maxSizeUpload,
      maxDataSources: 256,
      supportedTypeNames: [...ALL, 'SieveScript', 'CalendarEvent'],
      supportedDigestAlgorithms: ['sha-256', 'sha-512', 'sha'],
    })
  })
})
