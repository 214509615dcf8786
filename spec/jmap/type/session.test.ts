import t from 'tap'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'

const BASE = 'https://mail.example.test'
const CORE = 'urn:ietf:params:jmap:core'
const MAIL = 'urn:ietf:params:jmap:mail'
const SUBMISSION = 'urn:ietf:params:jmap:submission'
const SERVICE = 'urn:posthouse:params:jmap:service'

const { core, organization, organizationWith, mailbox, key, request } = await startCore(t)
const hello = await mailbox('hello')
const other = await mailbox('other')

t.test('every URL of the session is absolute and has its variables (RFC 8620 2)', async (t) => {
  const session = (await core.session(hello.principal, BASE)) as Result
  t.equal(session.apiUrl, `${BASE}/jmap/api`)
  for (const name of ['accountId', 'blobId', 'type', 'name']) t.match(session.downloadUrl, `{${name}}`)
  t.match(session.uploadUrl, '{accountId}')
  for (const name of ['types', 'closeafter', 'ping']) t.match(session.eventSourceUrl, `{${name}}`)
  for (const name of ['downloadUrl', 'uploadUrl', 'eventSourceUrl']) t.ok(session[name].startsWith(`${BASE}/`))
})

t.test("the core capability has its limits, none below the RFC's suggestions (RFC 8620 2)", async (t) => {
  const session = (await core.session(hello.principal, BASE)) as Result
  const limits = session.capabilities[CORE]
  t.ok(limits.maxSizeUpload >= 50_000_000)
  t.ok(limits.maxConcurrentUpload >= 4)
  t.ok(limits.maxSizeRequest >= 10_000_000)
  t.ok(limits.maxConcurrentRequests >= 4)
  t.ok(limits.maxCallsInRequest >= 16)
  t.ok(limits.maxObjectsInGet >= 500)
  t.ok(limits.maxObjectsInSet >= 500)
  t.same(limits.collationAlgorithms, ['i;unicode-casemap'])
  t.same(session.capabilities[MAIL], {}, 'RFC 8621 1.3.1: an empty object')
  t.same(session.capabilities[SUBMISSION], {}, 'RFC 8621 1.3.2: an empty object')
})

t.test('a mailbox password sees one account, which is personal and writable (RFC 8620 2)', async (t) => {
  const session = (await core.session(hello.principal, BASE)) as Result
  t.same(Object.keys(session.accounts), [hello.accountId])
  t.match(session.accounts[hello.accountId], { name: hello.address, isPersonal: true, isReadOnly: false })
  t.equal(session.username, hello.address)
  t.match(session.primaryAccounts, { [MAIL]: hello.accountId, [SUBMISSION]: hello.accountId })
  t.same([...new Set(Object.values(session.primaryAccounts))], [hello.accountId])
})

t.test('a mail account has the limits of mail and of sending (RFC 8621 1.3)', async (t) => {
  const session = (await core.session(hello.principal, BASE)) as Result
  const { accountCapabilities } = session.accounts[hello.accountId]
  const { [MAIL]: mail, [SUBMISSION]: submission } = accountCapabilities
  t.ok(mail.maxMailboxesPerEmail >= 1)
  t.ok(mail.maxSizeMailboxName >= 100)
  t.equal(mail.mayCreateTopLevelMailbox, true)
  t.ok(mail.emailQuerySortOptions.includes('receivedAt'))
  t.ok(submission.maxDelayedSend > 0)
  t.ok('FUTURERELEASE' in submission.submissionExtensions)
})

t.test('an API key sees its organization and the mailboxes that it may use', async (t) => {
  const { principal } = await key({ scopes: ['messages:read', 'domains:read'], mailboxIds: [other.accountId] })
  const session = (await core.session(principal, BASE)) as Result
  t.same(Object.keys(session.accounts).sort(), [organization.accountId, other.accountId].sort())
  t.equal(session.primaryAccounts[SERVICE], organization.accountId)
  t.equal(session.primaryAccounts[MAIL], other.accountId)
})

t.test('an account names only capabilities whose methods the key may call (RFC 8620 2)', async (t) => {
  const { principal } = await key({ scopes: ['domains:read'] })
  const session = (await core.session(principal, BASE)) as Result
  t.same(Object.keys(session.accounts[hello.accountId].accountCapabilities), [CORE])
  t.same(Object.keys(session.accounts[organization.accountId].accountCapabilities).sort(), [CORE, SERVICE])
  t.equal(session.accounts[organization.accountId].isReadOnly, true)
  t.notOk(MAIL in session.primaryAccounts)
})

t.test('the core capability is in no list of primary accounts (RFC 8620 2)', async (t) => {
  const session = (await core.session(hello.principal, BASE)) as Result
  t.notOk(CORE in session.primaryAccounts)
})

t.test('the state is that of API responses, and stays without changes (RFC 8620 2, 3.4)', async (t) => {
  const { state } = (await core.session(hello.principal, BASE)) as Result
  const response = (await core.process(hello.principal, { using: [CORE], methodCalls: [] })) as Result
  t.equal(response.sessionState, state)
  t.equal(((await core.session(hello.principal, BASE)) as Result).state, state)
})

t.test('the state changes when an account is created, deleted or renamed (RFC 8620 2)', async (t) => {
  const { principal } = await key({ scopes: ['mailboxes:read'] })
  const states = new Set<string>()
  const look = async () => states.add(((await core.session(principal, BASE)) as Result).state)
  await look()
  const fresh = await mailbox('fresh')
  await look()
  await request([['MailAccount/set', { accountId: organization.accountId, destroy: [fresh.accountId] }]])
  await look()
  const update: JsonObject = { [organization.accountId]: { name: 'Another name' } }
  await request([['Organization/set', { accountId: organization.accountId, update }]])
  await look()
  t.equal(states.size, 4)
})

t.test('the state changes when the key may use other mailboxes (RFC 8620 2)', async (t) => {
  const { key: token, id } = await key({ scopes: ['messages:read'], mailboxIds: [hello.accountId] })
  const session = async () => {
    const principal = await core.authenticate({ kind: 'bearer', token, ip: '192.0.2.1' })
    return (await core.session(principal!, BASE)) as Result
  }
  const before = await session()
  const update: JsonObject = { [id]: { mailboxIds: [other.accountId] } }
  await request([['ApiKey/set', { accountId: organization.accountId, update }]])
  const after = await session()
  t.not(after.state, before.state)
  t.ok(other.accountId in after.accounts)
  t.notOk(hello.accountId in after.accounts)
})

t.test('a session shows nothing of another organization', async (t) => {
  const foreign = await organizationWith('foreign.test')
  const theirs = await foreign.mailbox('hello')
  const { principal } = await key({ scopes: ['mailboxes:read'] })
  for (const asking of [hello.principal, principal]) {
    const session = JSON.stringify(await core.session(asking, BASE))
    t.notOk(session.includes(foreign.accountId) || session.includes(theirs.accountId))
    t.ok(session.includes(hello.accountId), 'its own is there')
  }
})

t.test('the advertised capabilities are those that `using` accepts (RFC 8620 2, 3.3)', async (t) => {
  const session = (await core.session(hello.principal, BASE)) as Result
  const capabilities = [...createStandardRegistry().capabilities.keys()]
  t.same(Object.keys(session.capabilities).sort(), capabilities.toSorted())
  const response = (await core.process(hello.principal, { using: capabilities, methodCalls: [] })) as Result
  t.same(response.methodResponses, [])
})

t.test('the vendor capability has a name that no one else uses (RFC 8620 1.8)', async (t) => {
  const session = (await core.session(hello.principal, BASE)) as Result
  for (const name of Object.keys(session.capabilities)) t.match(name, /^urn:(ietf|posthouse):params:jmap:[a-z:-]+$/)
})

t.test('the state changes with the limits in the session (RFC 8620 2)', async (t) => {
  const stateWith = async (maxCallsInRequest: number) => {
    const started = await startCore(t, 'sqlite', { maxCallsInRequest })
    const { principal } = await started.mailbox('hello')
    return ((await started.core.session(principal, BASE)) as Result).state
  }
  t.equal(await stateWith(16), await stateWith(16), 'control')
  t.not(await stateWith(17), await stateWith(16))
})
