import t from 'tap'
import { BLOB_INLINE_MAX_BYTES } from '../../../../server/base/limits.ts'
import { type Result, startCore, type TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, key, request, organization, organizationWith } = await startCore(t, engine)
  const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
  const [from, to] = [await mailbox('from'), await mailbox('to')]
  const upload = async (bytes: string | Uint8Array, who = principal) =>
    (await core.upload(who, from.accountId, 'text/plain', Buffer.from(bytes as string)))!.blobId
  const copy = async (args: object, who = principal): Promise<[string, Result]> => {
    const call = { fromAccountId: from.accountId, accountId: to.accountId, ...args }
    const [answer] = await request([['Blob/copy', call as never]], who)
    return [answer![0], answer![1]]
  }
  const text = async (box: TestMailbox, blobId: string, who = principal) => {
    const found = await core.download(who, box.accountId, blobId)
    return found && Buffer.from(found.bytes).toString()
  }

  t.test('blobs get ids in the other account, and stay in the first (RFC 8620 6.3)', async (t) => {
    const ids = [await upload('small'), await upload('large'.padEnd(BLOB_INLINE_MAX_BYTES + 1, '.'))]
    const [name, answer] = await copy({ blobIds: ids })
    t.equal(name, 'Blob/copy')
    t.match(answer, { fromAccountId: from.accountId, accountId: to.accountId, notCopied: null })
    t.same(Object.keys(answer.copied), ids)
    for (const [old, copied] of Object.entries(answer.copied as Record<string, string>)) {
      t.not(copied, old)
      t.equal(await text(to, copied), await text(from, old))
    }
  })

  t.test('unknown blobs are notFound, and the others are copied (RFC 8620 6.3)', async (t) => {
    const good = await upload('good')
    const elsewhere = (await core.upload(principal, to.accountId, 'text/plain', Buffer.from('elsewhere')))!.blobId
    const [, answer] = await copy({ blobIds: [good, 'nothing', elsewhere] })
    t.same(Object.keys(answer.copied), [good])
    t.same(answer.notCopied, { nothing: { type: 'notFound' }, [elsewhere]: { type: 'notFound' } })
    const [, none] = await copy({ blobIds: ['nothing'] })
    t.equal(none.copied, null, 'null when nothing was copied')
    t.same((await copy({ blobIds: [] }))[1], {
      fromAccountId: from.accountId,
      accountId: to.accountId,
      copied: null,
      notCopied: null,
    })
  })

  t.test('an upload of another user is notFound, as one that does not exist (RFC 8620 6.1)', async (t) => {
    const foreign = await upload('of its owner', from.principal)
    t.same((await copy({ blobIds: [foreign] }))[1].notCopied, { [foreign]: { type: 'notFound' } })
  })

  t.test('only its creator may read a copy until something refers to it (RFC 8620 6.1)', async (t) => {
    const [, { copied }] = await copy({ blobIds: [await upload('mine alone')] })
    const [copy1] = Object.values(copied as Record<string, string>)
    t.equal(await text(to, copy1!), 'mine alone')
    t.equal(await text(to, copy1!, to.principal), null)
  })

  t.test('the message of an email and a part of it can be copied', async (t) => {
    const email = await from.receive(mail({ body: 'the whole' }))
    const [{ blobId, textBody }] = (await from.call('Email/get', { ids: [email], properties: ['blobId', 'textBody'] }))
      .list
    const part = textBody[0].blobId
    const [, { copied }] = await copy({ blobIds: [blobId, part] })
    t.equal(await text(to, copied[blobId]), await text(from, blobId))
    t.equal(await text(to, copied[part]), 'the whole\r\n')
  })

  t.test('a copy can be imported, and then all users of the account may read it', async (t) => {
    const email = await from.receive(mail({ subject: 'Travels' }))
    const [{ blobId }] = (await from.call('Email/get', { ids: [email], properties: ['blobId'] })).list
    const copied = (await copy({ blobIds: [blobId] }))[1].copied[blobId]
    t.equal(await text(to, copied, to.principal), null)
    const emails = { e: { blobId: copied, mailboxIds: { [to.roles['inbox']!]: true } } }
    const [imported] = await request([['Email/import', { accountId: to.accountId, emails }]], principal)
    t.ok((imported![1] as Result).created.e)
    t.match(await text(to, copied, to.principal), 'Subject: Travels')
  })

  t.test(
    'accounts that do not exist, belong to others, or are the same are refused by name (RFC 8620 6.3)',
    async (t) => {
      const blobIds = [await upload('x')]
      const stranger = await (await organizationWith('stranger.test')).mailbox('stranger')
      for (const fromAccountId of ['nothing', stranger.accountId])
        t.same(await copy({ fromAccountId, blobIds }), ['error', { type: 'fromAccountNotFound' }])
      for (const accountId of ['nothing', stranger.accountId])
        t.same(await copy({ accountId, blobIds }), ['error', { type: 'accountNotFound' }])
      t.match(await copy({ fromAccountId: organization.accountId, blobIds }), [
        'error',
        { type: 'fromAccountNotSupportedByMethod' },
      ])
      t.match(await copy({ fromAccountId: to.accountId, blobIds }), ['error', { type: 'invalidArguments' }])
      t.match(await copy({ blobIds: 'x' }), ['error', { type: 'invalidArguments' }])
    },
  )

  t.test('a key needs to read the first account and to write in the other', async (t) => {
    const writer = (await key({ scopes: ['messages:write'] })).principal
    const blobIds = [await upload('x', writer)]
    t.match(await copy({ blobIds }, writer), ['error', { type: 'forbidden' }])
  })

  t.test('more than maxObjectsInSet is requestTooLarge', async (t) => {
    const blobIds = Array.from({ length: core.limits.maxObjectsInSet + 1 }, (_, i) => `b${i}`)
    t.match(await copy({ blobIds }), ['error', { type: 'requestTooLarge' }])
  })

  t.test('copies beyond the upload quota of one call are overQuota (RFC 8620 6, 6.3)', async (t) => {
    const small = await startCore(t, engine, { uploadQuotaBytes: 1_000 })
    const [a, b] = [await small.mailbox('a'), await small.mailbox('b')]
    const who = (await small.key({ scopes: ['messages:read', 'messages:write'] })).principal
    const blobIds: string[] = []
    for (const letter of ['a', 'b']) {
      const email = await a.receive(mail({ body: letter.repeat(600) }))
      blobIds.push((await a.call('Email/get', { ids: [email], properties: ['blobId'] })).list[0].blobId)
    }
    const [answer] = await small.request(
      [['Blob/copy', { fromAccountId: a.accountId, accountId: b.accountId, blobIds }]],
      who,
    )
    const { copied, notCopied } = answer![1] as Result
    t.same(Object.keys(copied), [blobIds[0]])
    t.match(notCopied, { [blobIds[1]!]: { type: 'overQuota' } })
    t.ok(await small.core.download(who, b.accountId, copied[blobIds[0]!]), 'what was copied is there')
  })
})
