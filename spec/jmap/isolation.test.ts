/** Promise J1: every method, including new ones, keeps accounts apart. */

import t from 'tap'
import { Email } from '../../jmap/mail/email/email.type.ts'
import { MailAccount } from '../../jmap/mail/mail-account/mail-account.type.ts'
import type { Invocation } from '../../jmap/protocol/messages.ts'
import { createStandardRegistry } from '../../jmap/standard-registry.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { hasScope, type Principal } from '../../server/base/principal.ts'
import { type Result, startCore, USING } from '../support/core.ts'
import { mail } from './mails.ts'

const { core, organization, organizationWith, mailbox, key } = await startCore(t)
const hello = await mailbox('hello')
const foreign = await organizationWith('foreign.test')
const theirs = await foreign.mailbox('hello')
const methods = [...createStandardRegistry().methods.values()].filter(({ access }) => access !== null)

/** Values for required arguments. */
const REQUIRED: JsonObject = {
  keyword: 'acme',
  name: 'acme.com',
  contact: {},
  sinceState: '0',
  sinceQueryState: '0',
  create: {},
  emails: {},
  fromAccountId: hello.accountId,
  blobIds: [],
  emailIds: [],
  ids: [],
  typeNames: [],
  emailId: 'none',
  blobId: 'none',
  submissionIds: [],
  action: 'hold',
  webhookId: 'none',
  audienceId: 'none',
  subscriberId: 'none',
  newsletterId: 'none',
  scheduledAt: '2100-01-01T00:00:00Z',
  email: 'nobody@example.org',
  subscribers: [{}],
  deliveryId: 'none',
  importId: 'none',
  id: 'none',
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  utcStart: '2026-01-01T00:00:00Z',
  utcEnd: '2026-01-02T00:00:00Z',
  plan: 'pro',
  returnUrl: 'https://app.example.com/',
  baseUrl: 'https://mail.example.com',
}

async function answer(principal: Principal, name: string, args: JsonObject): Promise<Invocation> {
  const response = (await core.process(principal, { using: USING, methodCalls: [[name, args, 'c']] })) as Result
  return response.methodResponses[0]
}

/** Adds the arguments that the error names as missing. */
async function complete(principal: Principal, name: string, accountId: string): Promise<Invocation> {
  let args: JsonObject = { accountId }
  for (;;) {
    const [kind, result] = (await answer(principal, name, args)) as [string, Result, string]
    const missing =
      kind === 'error' && result.type === 'invalidArguments' ? (result.arguments?.[0] as string) : undefined
    if (missing === undefined || !(missing in REQUIRED) || missing in args) return [kind, result, 'c']
    args = { ...args, [missing]: REQUIRED[missing]! }
  }
}

t.test('there are methods to test', async (t) => {
  t.ok(methods.length >= 30)
})

t.test('in an account of another organization every method answers as in one that does not exist', async (t) => {
  const { principal } = await key({
    scopes: methods.map(({ access }) => access!.scope).filter((one, i, all) => all.indexOf(one) === i),
  })
  for (const { name, access } of methods) {
    const [target, own] =
      access!.accounts === 'mailbox' ? [theirs.accountId, hello.accountId] : [foreign.accountId, organization.accountId]
    const nonsense = await complete(principal, name, 'nonsense')
    t.same(nonsense[1], { type: 'accountNotFound' }, name)
    t.same(await complete(principal, name, target), nonsense, name)
    const [kind, result] = await complete(principal, name, own)
    t.not((result as Result).type, 'accountNotFound', `${name} in its own account: ${kind}`)
  }
})

t.test('an account is found by the id of its own kind only', async (t) => {
  const { principal } = await key({ scopes: [...new Set(methods.map(({ access }) => access!.scope))] })
  const mixed = [
    core.ids.accountId('mailbox', organization.account),
    core.ids.accountId('organization', hello.account),
    core.ids.encode(MailAccount, hello.account, 1),
    core.ids.encode(Email, hello.account),
  ]
  for (const id of mixed)
    for (const { name } of methods)
      t.same((await complete(principal, name, id))[1], { type: 'accountNotFound' }, `${name} in ${id}`)
  const own = core.ids.accountId('mailbox', hello.account)
  t.equal((await answer(principal, 'Mailbox/get', { accountId: own }))[0], 'Mailbox/get', 'control')
})

t.test('without its scope every method is forbidden', async (t) => {
  for (const { name, access } of methods) {
    const all = [...new Set(methods.map((method) => method.access!.scope))]
    // A scope that gives another one (decision D6) would hide that it is missing.
    const scopes = all.filter((one) => one !== access!.orScope && !hasScope({ scopes: [one] }, access!.scope))
    const { principal } = await key({ scopes })
    const own = access!.accounts === 'mailbox' ? hello.accountId : organization.accountId
    t.match((await complete(principal, name, own))[1], { type: 'forbidden' }, name)
  }
})

t.test("no /get finds another account's ids, and no /set destroys them", async (t) => {
  const email = await theirs.receive(mail())
  const { threadId, blobId } = (await theirs.call('Email/get', { ids: [email] })).list[0]
  const identity = (await theirs.call('Identity/get', { ids: null })).list[0].id
  const draft = {
    mailboxIds: { [theirs.roles['drafts']!]: true },
    from: [{ email: theirs.address }],
    to: [{ email: 'a@example.org' }],
  }
  const emailId = (await theirs.call('Email/set', { create: { e: draft } })).created.e.id
  const create = { s: { identityId: identity, emailId } }
  const submission = (await theirs.call('EmailSubmission/set', { create })).created.s.id
  const ids = [email, threadId, blobId, identity, submission, theirs.roles['inbox']!, theirs.accountId]
  ids.push(foreign.domainId, foreign.accountId)
  const { principal } = await key({ scopes: [...new Set(methods.map(({ access }) => access!.scope))] })
  for (const { name, access } of methods) {
    const accountId = access!.accounts === 'mailbox' ? hello.accountId : organization.accountId
    // Usage and availability have no ids.
    if (name.endsWith('/get') && name !== 'Usage/get' && name !== 'Availability/get') {
      const argument = name === 'SearchSnippet/get' ? 'emailIds' : 'ids'
      const [, result] = (await answer(principal, name, { accountId, [argument]: ids })) as [string, Result, string]
      t.same([result.list, result.notFound], [[], ids], name)
    }
    if (name.endsWith('/set')) {
      const [, result] = (await answer(principal, name, { accountId, destroy: ids })) as [string, Result, string]
      t.equal(result.destroyed, null, name)
      t.same(Object.keys(result.notDestroyed).sort(), ids.toSorted(), name)
    }
  }
  t.same((await theirs.call('Email/get', { ids: [email] })).notFound, [], 'all of it is still there')
})
