/** The session's description of mail: RFC 8621 1.3 and 1.4. */
import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'
import { mail } from '../mails.ts'

const MAIL = 'urn:ietf:params:jmap:mail'
const SUBMISSION = 'urn:ietf:params:jmap:submission'
const VACATION = 'urn:ietf:params:jmap:vacationresponse'

const { core, mailbox, key } = await startCore(t)
const hello = await mailbox('hello')
const session = async (principal = hello.principal): Promise<Result> => core.session(principal, 'https://mail.example')
const capability = async (name: string, principal = hello.principal) =>
  (await session(principal)).accounts[hello.accountId].accountCapabilities[name]

t.test('the session and the accounts have the three capabilities as the RFC defines them (RFC 8621 1.3)', async (t) => {
  const { capabilities, accounts } = await session()
  for (const name of [MAIL, SUBMISSION, VACATION]) {
    t.same(capabilities[name], {}, name)
    t.type(accounts[hello.accountId].accountCapabilities[name], 'object', name)
  }
  t.same(accounts[hello.accountId].accountCapabilities[VACATION], {})
})

t.test('the mail capability of an account has exactly the required properties (RFC 8621 1.3.1)', async (t) => {
  const limits = await capability(MAIL)
  t.same(Object.keys(limits).sort(), [
    'emailQuerySortOptions',
    'maxMailboxDepth',
    'maxMailboxesPerEmail',
    'maxSizeAttachmentsPerEmail',
    'maxSizeMailboxName',
    'mayCreateTopLevelMailbox',
  ])
  for (const name of ['maxMailboxDepth', 'maxMailboxesPerEmail', 'maxSizeAttachmentsPerEmail'])
    t.ok(Number.isSafeInteger(limits[name]) && limits[name] >= 1, name)
  t.ok(Number.isSafeInteger(limits.maxSizeMailboxName) && limits.maxSizeMailboxName >= 100)
  t.equal(limits.mayCreateTopLevelMailbox, true)
})

t.test(
  'the submission capability of an account has the longest delay and the SMTP extensions (RFC 8621 1.3.2)',
  async (t) => {
    const submission = await capability(SUBMISSION)
    t.same(Object.keys(submission).sort(), ['maxDelayedSend', 'submissionExtensions'])
    t.ok(Number.isSafeInteger(submission.maxDelayedSend))
    for (const [name, args] of Object.entries(submission.submissionExtensions)) {
      t.match(name, /^[A-Z0-9-]+$/)
      t.ok(Array.isArray(args) && args.every((arg) => typeof arg === 'string'), name)
    }
  },
)

t.test('the name of a mailbox may be as long as the account advertises, and no longer (RFC 8621 1.3.1)', async (t) => {
  const { maxSizeMailboxName } = await capability(MAIL)
  const create = { a: { name: 'n'.repeat(maxSizeMailboxName) }, b: { name: 'm'.repeat(maxSizeMailboxName + 1) } }
  const { created, notCreated } = await hello.call('Mailbox/set', { create })
  t.same(Object.keys(created), ['a'])
  t.match(notCreated, { b: { type: 'invalidProperties', properties: ['name'] } })
})

t.test('mailboxes nest as deep as the account advertises, and no deeper (RFC 8621 1.3.1)', async (t) => {
  const { maxMailboxDepth } = await capability(MAIL)
  let parentId: string | null = null
  for (let depth = 1; depth <= maxMailboxDepth; depth++) {
    const { created } = await hello.call('Mailbox/set', { create: { a: { name: `Level ${depth}`, parentId } } })
    parentId = created.a.id as string
  }
  const { notCreated } = await hello.call('Mailbox/set', { create: { a: { name: 'Too deep', parentId } } })
  t.match(notCreated.a, { type: 'invalidProperties', properties: ['parentId'] })
})

t.test('an email is in as many mailboxes as the account advertises, and no more (RFC 8621 1.3.1)', async (t) => {
  const box = await mailbox('many')
  const { maxMailboxesPerEmail } = await capability(MAIL)
  const names = Array.from({ length: maxMailboxesPerEmail }, (_, i) => [`m${i}`, { name: `Box ${i}` }])
  const { created } = await box.call('Mailbox/set', { create: Object.fromEntries(names) })
  const mailboxIds = Object.fromEntries(Object.values(created as Result).map((made) => [(made as Result).id, true]))
  const id = await box.receive(mail())
  t.match(await box.call('Email/set', { update: { [id]: { mailboxIds } } }), { notUpdated: null })
  const update = { [id]: { [`mailboxIds/${box.roles['inbox']}`]: true } }
  t.match((await box.call('Email/set', { update })).notUpdated[id], { type: 'tooManyMailboxes' })
})

t.test('emails can be sorted by each property that the account advertises (RFC 8621 1.3.1)', async (t) => {
  const { emailQuerySortOptions } = await capability(MAIL)
  t.ok(emailQuerySortOptions.includes('receivedAt'))
  for (const property of emailQuerySortOptions) {
    const keyword = property.endsWith('Keyword') ? { keyword: '$seen' } : {}
    t.ok((await hello.call('Email/query', { sort: [{ property, ...keyword }] })).ids, property)
  }
  t.match(await hello.call('Email/query', { sort: [{ property: 'nothing' }] }), { type: 'unsupportedSort' })
})

t.test('the account and every mailbox show that a user may not change mailboxes (RFC 8621 1.3.1, 2)', async (t) => {
  const { principal } = await key({ scopes: ['messages:read', 'messages:write', 'mailboxes:read'] })
  t.equal((await capability(MAIL, principal)).mayCreateTopLevelMailbox, false)
  t.equal((await capability(MAIL)).mayCreateTopLevelMailbox, true, 'control')
  const request = async (name: string, args: object): Promise<Result> => {
    const methodCalls = [[name, { accountId: hello.accountId, ...args }, 'a']]
    const answer = (await core.process(principal, { using: [MAIL], methodCalls } as never)) as Result
    return answer.methodResponses[0][1]
  }
  const { list } = await request('Mailbox/get', { ids: null, properties: ['myRights'] })
  for (const { myRights } of list)
    t.match(myRights, {
      mayReadItems: true,
      mayAddItems: true,
      mayRemoveItems: true,
      maySetSeen: true,
      maySetKeywords: true,
      mayCreateChild: false,
      mayRename: false,
      mayDelete: false,
      maySubmit: true,
    })
  t.match(await request('Mailbox/set', { create: { a: { name: 'A' } } }), { type: /forbidden|accountReadOnly/ })
})
