import { createHook } from 'node:async_hooks'
import t from 'tap'
import { ApiKey } from '../../../jmap/directory/api-key.type.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { LAST_USED_EVERY_MS } from '../../../server/base/limits.ts'
import { PASSWORD, type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const IP = '192.0.2.1'

/** Number of password hashes that the work computes. The resources of node and of JavaScript have other names. */
async function hashesIn(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'undefined') hashes++
    },
  }).enable()
  await work()
  hook.disable()
  return hashes
}

await forEachEngine(t, async (t, engine) => {
  const { core, clock, organization, domainId, mailbox, key, request } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const password = (address: string, text: string) =>
    core.authenticate({ kind: 'password', address, password: text, ip: IP })
  const bearer = (token: string, ip = IP) => core.authenticate({ kind: 'bearer', token, ip })
  const setKey = (args: JsonObject) => request([['ApiKey/set', { accountId: organization.accountId, ...args }]])
  const setMailbox = (args: JsonObject) =>
    request([['MailAccount/set', { accountId: organization.accountId, ...args }]])
  const lastUsed = async (id: string) => {
    const [answer] = await request([['ApiKey/get', { accountId: organization.accountId, ids: [id] }]])
    return (answer as Result)[1].list[0].lastUsedAt as string | null
  }

  t.test('the address and password of a mailbox authenticate that mailbox only', async (t) => {
    t.match(await password(hello.address, PASSWORD), {
      kind: 'mailbox',
      organization: organization.account,
      mailboxes: [hello.account],
      ownsOrganization: false,
      scopes: null,
      username: hello.address,
    })
  })

  t.test('the case of an address is ignored, that of a password is not', async (t) => {
    t.ok(await password(hello.address.toUpperCase(), PASSWORD))
    t.equal(await password(hello.address, PASSWORD.toUpperCase()), null)
  })

  t.test('a wrong password, an unknown address and a malformed address are refused alike', async (t) => {
    t.equal(await password(hello.address, 'Wrong1234'), null)
    t.equal(await password('nobody@example.test', PASSWORD), null)
    t.equal(await password('no address', PASSWORD), null)
    t.equal(await password('', ''), null)
  })

  t.test('the password is hashed also for an account that does not exist (promise A2)', async (t) => {
    await password('nobody@example.test', 'x')
    // New texts: the tests of a process compute each argon2 hash once.
    const there = await hashesIn(() => password(hello.address, `Wrong1234${engine}`))
    t.equal(there, 1, 'control')
    t.equal(await hashesIn(() => password('nobody@example.test', `Other1234${engine}`)), there)
  })

  t.test('an alias is an address for mail, not for login', async (t) => {
    const create = { a: { domainId, mailboxId: hello.accountId, localPart: 'also-hello' } }
    const [made] = await request([['Alias/set', { accountId: organization.accountId, create }]])
    t.equal(await password((made as Result)[1].created.a.address, PASSWORD), null)
    t.ok(await password(hello.address, PASSWORD), 'control')
  })

  t.test('a mailbox without a password cannot log in (decision D8)', async (t) => {
    const [made] = await setMailbox({ create: { m: { domainId, localPart: 'quiet' } } })
    const { address } = (made as Result)[1].created.m
    t.equal(await password(address, ''), null)
    t.equal(await password(address, 'no such account'), null)
  })

  t.test('a new password works at once, and the old one no longer works', async (t) => {
    const changing = await mailbox('changing')
    await setMailbox({ update: { [changing.accountId]: { password: 'Another456' } } })
    t.equal(await password(changing.address, PASSWORD), null)
    t.ok(await password(changing.address, 'Another456'))
  })

  t.test('a deleted mailbox cannot log in', async (t) => {
    const leaving = await mailbox('leaving')
    t.ok(await password(leaving.address, PASSWORD))
    await setMailbox({ destroy: [leaving.accountId] })
    t.equal(await password(leaving.address, PASSWORD), null)
  })

  t.test('an API key authenticates its organization with its scopes (decision D5)', async (t) => {
    const { key: token, id } = await key({ name: 'Shop', scopes: ['messages:read'] })
    t.match(await bearer(token), {
      kind: 'apiKey',
      organization: organization.account,
      mailboxes: 'all',
      ownsOrganization: true,
      scopes: ['messages:read'],
      username: 'Shop',
      credential: id,
    })
  })

  t.test('a mistyped, unknown or malformed key is refused', async (t) => {
    const { key: token } = await key({ scopes: ['messages:read'] })
    const other = token.at(-1) === 'a' ? 'b' : 'a'
    for (const wrong of [`${token.slice(0, -1)}${other}`, `${token}x`, token.slice(3), '', 'sk_', 'Basic x'])
      t.equal(await bearer(wrong), null)
    t.ok(await bearer(token))
  })

  t.test('a deleted key is refused at once (promise A4)', async (t) => {
    const { key: token, id } = await key({ scopes: ['messages:read'] })
    t.ok(await bearer(token))
    await setKey({ destroy: [id] })
    t.equal(await bearer(token), null)
  })

  t.test('a key is refused from the time at which it expires', async (t) => {
    const expiresAt = new Date(clock.now() + 60_000).toISOString().replace('.000Z', 'Z')
    const { key: token } = await key({ scopes: ['messages:read'], expiresAt })
    clock.advance(59_999)
    t.ok(await bearer(token))
    clock.advance(1)
    t.equal(await bearer(token), null)
  })

  t.test('a key with allowedIps works only from these addresses and ranges', async (t) => {
    const allowedIps = ['192.0.2.1', '198.51.100.0/24', '2001:db8::/32']
    const { key: token } = await key({ scopes: ['messages:read'], allowedIps })
    for (const ip of ['192.0.2.1', '198.51.100.77', '2001:db8::5', '::ffff:192.0.2.1'])
      t.ok(await bearer(token, ip), ip)
    for (const ip of ['192.0.2.2', '198.51.101.1', '2001:db9::1', '', 'nonsense'])
      t.equal(await bearer(token, ip), null, ip)
  })

  t.test('a key with domainIds can use the mailboxes of these domains', async (t) => {
    const [made] = await request([
      ['Domain/set', { accountId: organization.accountId, create: { d: { name: 'second.test' } } }],
    ])
    const second = (made as Result)[1].created.d.id as string
    const [answer] = await setMailbox({ create: { m: { domainId: second, localPart: 'hello' } } })
    const within = core.ids.accountNumber('mailbox', (answer as Result)[1].created.m.id)!
    const { principal } = await key({ scopes: ['messages:read'], domainIds: [second] })
    t.same(principal.mailboxes, [within])
    const both = await key({ scopes: ['messages:read'], domainIds: [second], mailboxIds: [hello.accountId] })
    t.same(both.principal.mailboxes, [], 'a mailbox of another domain is not among them')
  })

  t.test('the use of a key is recorded at most once a minute, and changes its state', async (t) => {
    const made = await setKey({ create: { k: { name: 'Used', scopes: ['messages:read'] } } })
    const { id, key: token } = (made[0] as Result)[1].created.k
    t.equal(await lastUsed(id), null)
    const told = new Promise<void>((resolve) => {
      const stop = core.onStateChange(({ changed }) => {
        if (!('ApiKey' in changed)) return
        stop()
        resolve()
      })
    })
    await bearer(token)
    await told
    const first = await lastUsed(id)
    t.equal(Date.parse(first!), clock.now())
    clock.advance(LAST_USED_EVERY_MS - 1)
    await core.noteKeyUse(organization.account, core.ids.decode(ApiKey, id)!.object)
    t.equal(await lastUsed(id), first)
    clock.advance(1)
    await core.noteKeyUse(organization.account, core.ids.decode(ApiKey, id)!.object)
    t.equal(Date.parse((await lastUsed(id))!), clock.now())
  })

  t.test('the use of a deleted key is not recorded', async (t) => {
    const { id } = await key({ scopes: ['messages:read'] })
    await setKey({ destroy: [id] })
    await t.resolves(core.noteKeyUse(organization.account, core.ids.decode(ApiKey, id)!.object))
  })
})
