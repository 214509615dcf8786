// The examples of RFC 8621 4.10, 6.4 and 7.5.1, with ids of this server.
import t from 'tap'
import type { Invocation } from '../../../jmap/protocol/messages.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { mail } from '../mails.ts'

const LIST = ['threadId', 'mailboxIds', 'keywords', 'hasAttachment', 'from', 'subject', 'receivedAt', 'size', 'preview']
const TEXT = 'I have the most brilliant plan.  Let me tell you all about it.  What we do is, we'
const HTML = `<!DOCTYPE html><html><head><title></title><style type="text/css">div{font-size:16px}</style></head><body><div>I have the most <b>brilliant</b> plan.  Let me tell you all about it.  What we do is, we</div></body></html>`

t.test('the examples', async (t) => {
  const { core, clock, mailbox, key, request } = await startCore(t)
  const joe = await mailbox('joe')
  const shared = await mailbox('shared')
  const { accountId } = joe
  const [inbox, drafts, sent] = ['inbox', 'drafts', 'sent'].map((role) => joe.roles[role]!) as [string, string, string]
  const run = async (calls: readonly [string, JsonObject][], principal = joe.principal): Promise<Result[]> =>
    (await request(calls, principal)).map(([, args]: Invocation) => args as Result)
  const from = [{ name: 'Joe Bloggs', email: joe.address }]

  t.test('a first view of the inbox, and changes by another device (RFC 8621 4.10)', async (t) => {
    const received: string[] = []
    for (let i = 0; i < 35; i++) {
      const fields = { id: `${i}@x`, subject: `Thread ${i % 32}`, ...(i >= 32 && { inReplyTo: `${i - 32}@x` }) }
      received.push(await joe.receive(mail(fields), Date.UTC(2026, 0, 1, 0, i)))
    }
    const sort = [{ isAscending: false, property: 'receivedAt' }]
    const query = { accountId, filter: { inMailbox: inbox }, sort, collapseThreads: true }
    const ref = (resultOf: string, name: string, path: string) => ({ '#ids': { resultOf, name, path } })
    const [found, threads, members, list] = await run([
      ['Email/query', { ...query, position: 0, limit: 30, calculateTotal: true }],
      ['Email/get', { accountId, ...ref('0', 'Email/query', '/ids'), properties: ['threadId'] }],
      ['Thread/get', { accountId, ...ref('1', 'Email/get', '/list/*/threadId') }],
      ['Email/get', { accountId, ...ref('2', 'Thread/get', '/list/*/emailIds'), properties: LIST }],
    ])
    t.match(found, { canCalculateChanges: true, position: 0, total: 32 })
    t.equal(found.ids.length, 30)
    t.same(found.ids.slice(0, 3), received.slice(32).reverse())
    t.same(Object.keys(threads.list[0]).sort(), ['id', 'threadId'])
    t.equal(members.list.length, 30)
    t.same(members.list[0].emailIds, [received[2], received[34]])
    t.equal(list.list.length, 33)
    for (const email of list.list) t.same(Object.keys(email).sort(), ['id', ...LIST].sort())

    const [first, second] = found.ids as string[]
    await joe.call('Email/set', { update: { [first!]: { 'keywords/$seen': true } } })
    const { state } = await joe.call('Email/get', { ids: [] })
    const { queryState } = await joe.call('Email/query', { ...query, limit: 30 })
    const [unread] = await run([['Email/set', { accountId, update: { [first!]: { 'keywords/$seen': null } } }]])
    t.match(unread, { oldState: state, updated: { [first!]: null } })
    await joe.call('Email/set', { destroy: [second!] })
    const fresh = await joe.receive(mail({ subject: 'New', id: 'new@x' }), Date.UTC(2026, 1, 1))
    const upToId = found.ids.at(-1)
    const [changes, moved] = await run([
      ['Email/changes', { accountId, sinceState: state, maxChanges: 50 }],
      [
        'Email/queryChanges',
        { ...query, sinceQueryState: queryState, upToId, maxChanges: 25, calculateTotal: true } as JsonObject,
      ],
    ])
    t.match(changes, {
      oldState: state,
      hasMoreChanges: false,
      created: [fresh],
      updated: [first],
      destroyed: [second],
    })
    const added = moved.added.map(({ id }: { id: string }) => id)
    t.ok(added.includes(fresh) && moved.removed.includes(second))
    t.match(moved, { oldQueryState: queryState, total: 33 })
  })

  t.test('a draft is saved, saved again as HTML, and moved to another account (RFC 8621 4.10)', async (t) => {
    const draft = { mailboxIds: { [drafts]: true }, keywords: { $seen: true, $draft: true }, from }
    const k192 = {
      ...draft,
      subject: 'World domination',
      receivedAt: '2018-07-10T01:03:11Z',
      sentAt: '2018-07-10T11:03:11+10:00',
      bodyStructure: { type: 'text/plain', partId: 'bd48', 'header:Content-Language': 'en' },
      bodyValues: { bd48: { value: TEXT, isTruncated: false } },
    }
    const [saved] = await run([['Email/set', { accountId, create: { k192 } }]])
    t.same(Object.keys(saved.created.k192).sort(), ['blobId', 'id', 'size', 'threadId'])
    t.not(saved.newState, saved.oldState)
    const { id, blobId } = saved.created.k192
    const raw = Buffer.from((await core.download(joe.principal, accountId, blobId))!.bytes).toString()
    const [header, body] = raw.split('\r\n\r\n') as [string, string]
    for (const line of [
      /^Message-ID: <[^<>@\s]+@example\.test>$/im,
      /^MIME-Version: 1\.0$/m,
      /^Date: Tue, 10 Jul 2018 11:03:11 \+1000$/m,
      /^From: Joe Bloggs <joe@example\.test>$/m,
      /^Subject: World domination$/m,
      /^Content-Language: en$/m,
      /^Content-Type: text\/plain/m,
    ])
      t.match(header, line)
    t.match(body, TEXT)

    const language = { 'header:Content-Language': 'en' }
    const k1546 = {
      ...k192,
      to: [{ name: 'John', email: 'john@example.com' }],
      sentAt: '2018-07-10T11:05:08+10:00',
      bodyStructure: {
        type: 'multipart/alternative',
        subParts: [
          { partId: 'a49d', type: 'text/html', ...language },
          { partId: 'bd48', type: 'text/plain', ...language },
        ],
      },
      bodyValues: { bd48: { value: TEXT, isTruncated: false }, a49d: { value: HTML, isTruncated: false } },
    }
    const [again] = await run([['Email/set', { accountId, create: { k1546 }, destroy: [id] }]])
    t.match(again, { oldState: saved.newState, destroyed: [id], created: { k1546: { id: /./ } } })
    const made = again.created.k1546
    const properties = ['to', 'textBody', 'htmlBody', 'bodyValues']
    const [read] = (await joe.call('Email/get', { ids: [made.id], properties, fetchAllBodyValues: true })).list
    t.match(read, {
      to: k1546.to,
      textBody: [{ type: 'text/plain', language: ['en'] }],
      htmlBody: [{ type: 'text/html', language: ['en'] }],
    })
    t.same(
      [read.textBody[0], read.htmlBody[0]].map((part) => read.bodyValues[part.partId].value),
      [TEXT, HTML],
    )

    const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
    const mailboxIds = { [shared.roles['drafts']!]: true }
    const [copied, destroyed] = await request(
      [
        [
          'Email/copy',
          {
            fromAccountId: accountId,
            accountId: shared.accountId,
            create: { k45: { id: made.id, mailboxIds } },
            onSuccessDestroyOriginal: true,
          },
        ],
      ],
      principal,
    )
    t.match(copied, [
      'Email/copy',
      {
        fromAccountId: accountId,
        accountId: shared.accountId,
        created: { k45: { size: made.size } },
        notCreated: null,
      },
      '0',
    ])
    t.match(destroyed, ['Email/set', { accountId, oldState: again.newState, destroyed: [made.id] }, '0'])
  })

  t.test('identities are fetched all at once (RFC 8621 6.4)', async (t) => {
    const settings = {
      name: 'Joe Bloggs',
      bcc: [{ name: null, email: 'joe+archive@example.test' }],
      textSignature: '-- \nJoe Bloggs\nMaster of Email',
      htmlSignature: '<div><b>Joe Bloggs</b></div><div>Master of Email</div>',
    }
    const [{ id }] = (await joe.call('Identity/get', {})).list
    await joe.call('Identity/set', { update: { [id]: settings } })
    const result = await joe.call('Identity/get', {})
    t.same(result.list, [{ id, email: joe.address, replyTo: null, mayDelete: false, ...settings }])
    matchWhole(t, result, { accountId, state: /./, notFound: [] })
  })

  t.test('a saved draft is sent, and moved to the sent folder (RFC 8621 7.5.1)', async (t) => {
    const email = {
      mailboxIds: { [drafts]: true },
      keywords: { $draft: true },
      from,
      to: [{ email: 'jane@example.com' }],
    }
    const { created } = await joe.call('Email/set', { create: { e: email } })
    const emailId = created.e.id as string
    const identityId = (await joe.call('Identity/get', {})).list[0].id
    const envelope = {
      mailFrom: { email: joe.address, parameters: null },
      rcptTo: [{ email: 'jane@example.com', parameters: null }],
    }
    const patch = { [`mailboxIds/${drafts}`]: null, [`mailboxIds/${sent}`]: true, 'keywords/$draft': null }
    const answers = await request(
      [
        [
          'EmailSubmission/set',
          {
            accountId,
            create: { k1490: { identityId, emailId, envelope } },
            onSuccessUpdateEmail: { '#k1490': patch },
          },
        ],
      ],
      joe.principal,
    )
    t.match(answers, [
      ['EmailSubmission/set', { created: { k1490: { id: /./ } } }, '0'],
      ['Email/set', { accountId, updated: { [emailId]: null } }, '0'],
    ])
    const [read] = (await joe.call('Email/get', { ids: [emailId], properties: ['mailboxIds', 'keywords'] })).list
    t.same(read, { id: emailId, mailboxIds: { [sent]: true }, keywords: {} })
    const [claimed] = await core.claimSubmissions('worker', 1, 1_000)
    t.same(
      claimed?.recipients.map(({ address }) => address),
      ['jane@example.com'],
    )
    clock.advance(1_000)
  })
})
