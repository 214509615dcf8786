/** Typical use by a JMAP client: npm's jmap-jam against the program itself, between two mailboxes of one server. */
import { randomBytes } from 'node:crypto'
import { JamClient } from 'jmap-jam'
import t from 'tap'
import { untilAnswered } from '../support/clients.ts'
import { serve } from '../support/command-line.ts'
import type { Result } from '../support/core.ts'
import { temporaryFolder } from '../support/posthouse.ts'

const SERVICE = 'urn:posthouse:params:jmap:service'
const MAIL = 'urn:ietf:params:jmap:mail'

const { ready } = await serve(t, temporaryFolder(t))
const sessionUrl = `${ready.http}/.well-known/jmap`
const jam = new JamClient({ sessionUrl, bearerToken: ready.api_key, customCapabilities: { MailAccount: SERVICE } })
const mine = ready.mailbox.id

/** One call through the client's fluent interface; its arguments. Throws an error response. */
async function call(entity: string, method: string, args: object): Promise<Result> {
  const [result] = await jam.api[entity]![method]!(args)
  return result
}

async function mailboxesOf(accountId: string): Promise<Record<string, string>> {
  const { list } = await call('Mailbox', 'get', { accountId, ids: null })
  return Object.fromEntries(list.map(({ role, id }: { role: string; id: string }) => [role, id]))
}

// Data that one step leaves for the next.
let friend = { id: '', address: '' }
let received = ''
let state = ''
const attachment = randomBytes(100_000)

t.test('the session names both accounts, the primary one, and absolute URLs', async (t) => {
  const session = await jam.session
  t.ok(session.apiUrl.startsWith(ready.http))
  t.same(Object.keys(session.accounts).sort(), [mine, ready.organization.id].sort())
  t.equal(await jam.getPrimaryAccount(), mine)
  t.ok(session.accounts[mine].accountCapabilities[MAIL])
})

t.test('a mailbox is made, and the session state says that there is another account', async (t) => {
  const before = await jam.session
  const create = { m: { domainId: ready.domain.id, localPart: 'friend' } }
  const [made, { sessionState }] = await jam.api['MailAccount']!['set']!({ accountId: ready.organization.id, create })
  friend = made.created.m
  const answer = await call('Mailbox', 'get', { accountId: friend.id, ids: null })
  t.equal(answer.accountId, friend.id, 'which can be used at once')
  const after = await JamClient.loadSession(sessionUrl, `Bearer ${ready.api_key}`)
  t.not(after.state, before.state)
  t.equal(after.state, (await jam.api['Mailbox']!['get']!({ accountId: mine, ids: [] }))[1].sessionState)
  t.match(after.accounts[friend.id], { name: friend.address })
  t.type(sessionState, 'string')
})

t.test('a draft with an uploaded file is written and sent in one request, and lands in Sent', async (t) => {
  const boxes = await mailboxesOf(mine)
  const { list: identities } = await call('Identity', 'get', { accountId: mine, ids: null })
  const { blobId } = await jam.uploadBlob(mine, attachment)
  const draft = {
    mailboxIds: { [boxes['drafts']!]: true },
    keywords: { $draft: true, $seen: true },
    from: [{ name: 'Me', email: ready.mailbox.address }],
    to: [{ name: null, email: friend.address }],
    subject: 'Grüße',
    bodyValues: { text: { value: 'Zwölf Boxkämpfer' } },
    textBody: [{ partId: 'text', type: 'text/plain' }],
    attachments: [{ blobId, type: 'application/octet-stream', name: 'random.bin', disposition: 'attachment' }],
  }
  const toSent = {
    [`mailboxIds/${boxes['drafts']}`]: null,
    [`mailboxIds/${boxes['sent']}`]: true,
    'keywords/$draft': null,
  }
  const [results] = await jam.requestMany((r) => ({
    draft: r['Email']!['set']!({ accountId: mine, create: { draft } }),
    submission: r['EmailSubmission']!['set']!({
      accountId: mine,
      create: { s: { emailId: '#draft', identityId: identities[0].id } },
      onSuccessUpdateEmail: { '#s': toSent },
    }),
  }))
  const { id } = results.draft.created.draft
  const [sent] = (await call('Email', 'get', { accountId: mine, ids: [id], properties: ['mailboxIds', 'keywords'] }))
    .list
  t.same(sent, { id, mailboxIds: { [boxes['sent']!]: true }, keywords: { $seen: true } })
  const { list } = await call('EmailSubmission', 'get', { accountId: mine, ids: null })
  t.match(list, [{ emailId: id, envelope: { rcptTo: [{ email: friend.address }] } }])
})

t.test('it arrives at the other mailbox, and is read there as it was written', async (t) => {
  const accountId = friend.id
  received = await untilAnswered(ready, async () => {
    const filter = { text: 'Boxkämpfer', hasAttachment: true }
    const { ids } = await call('Email', 'query', {
      accountId,
      filter,
      sort: [{ property: 'receivedAt', isAscending: false }],
    })
    return ids[0] as string | undefined
  })
  const get = { accountId, ids: [received], fetchTextBodyValues: true }
  const { list, state: now } = await call('Email', 'get', get)
  state = now
  const [email] = list
  t.match(email, { subject: 'Grüße', from: [{ name: 'Me', email: ready.mailbox.address }], hasAttachment: true })
  t.equal(email.bodyValues[email.textBody[0].partId].value.trim(), 'Zwölf Boxkämpfer')
  const [{ blobId, name, type }] = email.attachments
  const file = await jam.downloadBlob({ accountId, blobId, mimeType: type, fileName: name })
  t.ok(attachment.equals(new Uint8Array(await file.arrayBuffer())), 'octet by octet')
  const { list: threads } = await call('Thread', 'get', { accountId, ids: [email.threadId] })
  t.same(threads[0].emailIds, [received])
})

t.test('it is read, moved and destroyed, and each step is in the changes', async (t) => {
  const accountId = friend.id
  const boxes = await mailboxesOf(accountId)
  const filter = { inMailbox: boxes['inbox'] }
  const { queryState: sinceQueryState } = await call('Email', 'query', { accountId, filter })
  const { state: sinceState } = await call('Mailbox', 'get', { accountId, ids: [] })
  const patch = {
    'keywords/$seen': true,
    [`mailboxIds/${boxes['inbox']}`]: null,
    [`mailboxIds/${boxes['archive']}`]: true,
  }
  const { updated } = await call('Email', 'set', { accountId, ifInState: state, update: { [received]: patch } })
  t.same(Object.keys(updated), [received])
  const moved = await call('Email', 'changes', { accountId, sinceState: state })
  t.same([moved.created, moved.updated, moved.destroyed], [[], [received], []])
  const left = await call('Email', 'queryChanges', { accountId, filter, sinceQueryState })
  t.same([left.removed, left.added], [[received], []])
  const counts = await call('Mailbox', 'changes', { accountId, sinceState })
  t.same([...counts.updated].sort(), [boxes['inbox'], boxes['archive']].sort())
  t.ok(counts.updatedProperties.includes('totalEmails'))

  t.same((await call('Email', 'set', { accountId, destroy: [received] })).destroyed, [received])
  const gone = await call('Email', 'changes', { accountId, sinceState: moved.newState })
  t.same([gone.created, gone.updated, gone.destroyed], [[], [], [received]])
  t.same((await call('Email', 'get', { accountId, ids: [received] })).notFound, [received])
})

t.test('errors have the names of the RFC', async (t) => {
  const refusal = (answer: Promise<unknown>) => answer.then(String, (error: object) => error)
  t.match(await refusal(call('Email', 'get', { accountId: 'none', ids: [] })), { type: 'accountNotFound' })
  t.match(await refusal(call('Email', 'set', { accountId: mine, ifInState: 'old' })), { type: 'stateMismatch' })
  const using = ['urn:example:nothing']
  t.match(await refusal(jam.api['Email']!['get']!({ accountId: mine, ids: [] }, { using })), {
    type: 'urn:ietf:params:jmap:error:unknownCapability',
    status: 400,
  })
})
