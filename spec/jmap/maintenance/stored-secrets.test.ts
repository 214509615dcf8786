// Promise A5: DKIM keys are sealed, also those that were in clear, and can be moved to a new key without loss.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { findConnection, openCredentials } from '../../../jmap/calendars/conferencing/connections.ts'
import { openPassword } from '../../../jmap/imports/stored.ts'
import { createCore } from '../../../jmap/in-process-core.ts'
import { dkimKeysOf } from '../../../jmap/policy/domain/dkim-store.ts'
import { relayOf } from '../../../jmap/policy/domain/relay.ts'
import { openRegistrant, orderOf } from '../../../jmap/policy/registration/order.ts'
import { openPushKeys } from '../../../jmap/push/subscription/sealed-keys.ts'
import { findWebhook, secretsOf } from '../../../jmap/webhooks/stored.ts'
import { Webhook } from '../../../jmap/webhooks/webhook.type.ts'
import { Keyring, SECRET_PURPOSES, type SecretPlace } from '../../../server/base/keyring.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import type { Store } from '../../../storage/ports.ts'
import { registrationsOf } from '../../../storage/repos/domain-works.ts'
import { listImports } from '../../../storage/repos/imports.ts'
import { changeFact } from '../../../storage/repos/installation.ts'
import { listObjects, updateObject } from '../../../storage/repos/objects.ts'
import { listPushSubscriptions } from '../../../storage/repos/push-subscriptions.ts'
import { SEALED_TABLES, sealingKeyNames } from '../../../storage/repos/sealed.ts'
import { tablesOf } from '../../../storage/schema/database.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { fakeShop } from '../../support/fake-shop.ts'
import { PushClient } from '../../support/push-service.ts'

const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const CONTACT = {
  ...{ firstName: 'Ada', lastName: 'Lovelace', address1: '12 St James Square', city: 'San Francisco', state: 'CA' },
  ...{ zip: '94105', country: 'US', phone: '+14155550100', email: 'hunter5@example.com' },
}

/** Notes what it seals. */
class NotingKeyring extends Keyring {
  readonly purposes = new Set<string>()

  override seal(text: string, place: SecretPlace): string {
    this.purposes.add(place.purpose)
    return super.seal(text, place)
  }
}

await forEachEngine(t, async (t, engine) => {
  const { store, clock } = await freshStore(t, engine)
  const { registrar, dnsProviders } = fakeShop()
  const open = (...keys: Uint8Array[]) => openWith(new Keyring(keys))
  const openWith = (keyring: Keyring) =>
    createCore({
      store,
      clock,
      logger: silentLogger,
      keyring,
      registrar,
      dnsProviders,
      imapLogin: async () => ({ host: 'imap.example.org', port: 993, security: 'tls', username: 'ada@gmail.com' }),
    })
  const core = await open(OLD)
  const { account, accountId } = await core.createOrganization('Sealed')
  const using = ['urn:posthouse:params:jmap:service']
  const create = { d: { name: 'sealed.test' } }
  const added = await core.process(SYSTEM, { using, methodCalls: [['Domain/set', { accountId, create }, '0']] })
  const domainId = (added as never)['methodResponses'][0][1]['created']['d']['id'] as string
  const call = async (method: string, args: object) => {
    const request = { using, methodCalls: [[method, { accountId, ...args }, '0']] }
    return ((await core.process(SYSTEM, request as never)) as never)['methodResponses'][0][1]
  }
  const stored = async (from: Store) =>
    JSON.stringify(await from.read((reader) => listObjects(reader, account, 'DkimKey')))
  const keys = (...known: Uint8Array[]) =>
    store.read((reader) => dkimKeysOf(reader, new Keyring(known), account, 'sealed.test'))

  t.test('keys of a new domain are sealed', async (t) => {
    t.notMatch(await stored(store), /BEGIN/)
    t.match(await keys(OLD), [
      { algorithm: 'rsa', privateKey: /BEGIN/ },
      { algorithm: 'ed25519', privateKey: /BEGIN/ },
    ])
  })

  t.test('the relay of a domain is sealed, its password is never shown, and the worker gets it', async (t) => {
    const { ids } = (await call('Domain/query', {})) as { ids: [string] }
    const relayUrl = 'smtp://user:hunter2@relay.test:587'
    t.match(await call('Domain/set', { update: { [ids[0]]: { relayUrl: 'http://x' } } }), {
      notUpdated: { [ids[0]]: { type: 'invalidProperties', properties: ['relayUrl'] } },
    })
    t.match(await call('Domain/set', { update: { [ids[0]]: { relayUrl } } }), { updated: {} })
    const shown = JSON.stringify(await call('Domain/get', { ids }))
    t.match(shown, '"relayHost":"relay.test:587"')
    t.notMatch(shown, /hunter2|v1\./)
    const kept = await store.read((reader) => listObjects(reader, account, 'Domain'))
    t.notMatch(JSON.stringify(kept), /hunter2/)
    const find = (...known: Uint8Array[]) =>
      store.read((reader) => relayOf(reader, new Keyring(known), account, 'sealed.test'))
    t.equal(await find(OLD), relayUrl)
    await call('Domain/set', { update: { [ids[0]]: { dmarcManagedExternally: true } } })
    t.equal(await find(OLD), relayUrl, 'other changes leave it')
  })

  const hookUrl = 'https://hooks.example.org/'
  const hook = { w: { url: hookUrl, events: ['message.received'] } }
  const made = (await core.process(SYSTEM, {
    using,
    methodCalls: [['Webhook/set', { accountId, create: hook }, '0']],
  })) as never
  const { id: hookId, secret } = made['methodResponses'][0][1]['created']['w'] as { id: string; secret: string }
  const webhook = core.ids.decode(Webhook, hookId)!.object
  const hookSecret = (...known: Uint8Array[]) =>
    store.read(async (reader) => {
      const kept = (await findWebhook(reader, account, webhook))!
      return secretsOf(new Keyring(known), account, webhook, kept, clock.now())
    })

  t.test('the secret of a webhook is sealed, and shown only once', async (t) => {
    t.notMatch(JSON.stringify(await store.read((reader) => listObjects(reader, account, 'Webhook'))), secret)
    t.same(await hookSecret(OLD), { current: secret, previous: null })
    const methodCalls: never[] = [['Webhook/get', { accountId, ids: [hookId] }, '0']] as never
    t.notMatch(JSON.stringify(await core.process(SYSTEM, { using, methodCalls })), /whsec_|v1\./)
  })

  const pushKeys = new PushClient().keys
  const subscribe = async () => {
    const create = { k: { name: 'push', scopes: ['messages:read'] } }
    const made = await core.process(SYSTEM, { using, methodCalls: [['ApiKey/set', { accountId, create }, '0']] })
    const { key: token } = (made as never)['methodResponses'][0][1]['created']['k'] as { key: string }
    const principal = (await core.authenticate({ kind: 'bearer', token, ip: '127.0.0.1' }))!
    const subscription = { deviceClientId: 'd', url: 'https://push.example.org/', keys: pushKeys }
    return core.process(principal, {
      using: ['urn:ietf:params:jmap:core'],
      methodCalls: [['PushSubscription/set', { create: { p: subscription } }, '0']],
    })
  }
  const subscribed = await subscribe()
  const keysPushedWith = (...known: Uint8Array[]) =>
    store.read(async (reader) => {
      const [row] = await listPushSubscriptions(reader, account)
      return openPushKeys(new Keyring(known), row!)
    })
  const rowsOf = async (table: string) =>
    JSON.stringify(await store.read(({ sql }) => sql.raw(`select * from ${table}`)))

  const connected = async () => {
    const made = await core.process(SYSTEM, {
      using,
      methodCalls: [['MailAccount/set', { accountId, create: { m: { domainId: '#d', localPart: 'zoom' } } }, '0']],
      createdIds: { d: domainId },
    })
    const { id } = (made as never)['methodResponses'][0][1]['created']['m'] as { id: string }
    const box = core.ids.accountNumber('mailbox', id)!
    const connection = { provider: 'zoom', account: 'a', clientId: 'b', clientSecret: 'hunter3' }
    await core.process(SYSTEM, {
      using,
      methodCalls: [['ConferencingConnection/set', { accountId: id, create: { c: connection } }, '0']],
    })
    return box
  }
  const box = await connected()
  const zoomSecret = (...known: Uint8Array[]) =>
    store.read(async (reader) => {
      const connection = (await findConnection(reader, box, 'zoom'))!
      return openCredentials(new Keyring(known), { account: box, organization: account }, connection)
    })

  t.test('credentials of conferencing are sealed', async (t) => {
    t.notMatch(await rowsOf('object'), /hunter3/)
    t.same(await zoomSecret(OLD), { accountId: 'a', clientId: 'b', clientSecret: 'hunter3' })
  })

  const source = { sourceType: 'imap', provider: 'gmail', email: 'ada@gmail.com', password: 'hunter4' }
  const importing = await core.process(SYSTEM, {
    using,
    methodCalls: [['Import/set', { accountId: core.ids.accountId('mailbox', box), create: { i: source } }, '0']],
  })
  const importPassword = (...known: Uint8Array[]) =>
    store.read(async (reader) => {
      const row = (await listImports(reader, box))[0]!
      return openPassword(new Keyring(known), { organization: account, account: box }, row.id, row.secret!)
    })

  t.test('the password of an import is sealed', async (t) => {
    t.match(importing, { methodResponses: [['Import/set', { created: { i: { id: String } } }, '0']] })
    t.notMatch(await rowsOf('import'), /hunter4/)
    t.equal(await importPassword(OLD), 'hunter4')
  })

  t.test('keys of push subscriptions and of the installation are sealed', async (t) => {
    t.match(subscribed, { methodResponses: [['PushSubscription/set', { created: { p: { id: String } } }, '0']] })
    t.same(await keysPushedWith(OLD), pushKeys)
    t.match(await rowsOf('push_subscription'), /"keys":"v1\./)
    t.notMatch(await rowsOf('push_subscription'), new RegExp(`${pushKeys.p256dh}|${pushKeys.auth}`))
    const facts = await rowsOf('installation')
    t.notMatch(facts, /BEGIN|PRIVATE/)
    for (const name of ['id_key', 'vapid_key']) t.match(facts, new RegExp(`"name":"${name}","value":"v1\\.`))
  })

  // No worker runs, so the registrar has not got the registrant yet.
  const ordered = await call('Domain/register', { name: 'acme-mail.com', contact: CONTACT })
  const dnsCredentials = { provider: 'cloudflare', token: 'hunter6' }
  const credentialed = await call('Domain/set', { update: { [domainId]: { dnsCredentials } } })
  const registrant = (...known: Uint8Array[]) =>
    store.read(async (reader) => {
      const row = (await registrationsOf(reader, account))[0]!
      return openRegistrant(new Keyring(known), row, orderOf(row).contact!)
    })

  t.test('who registers a domain, and credentials at DNS providers, are sealed', async (t) => {
    t.match(ordered, { registered: String, notRegistered: null })
    t.match(credentialed, { updated: {}, notUpdated: null })
    t.notMatch(await rowsOf('domain_work'), /hunter5|Lovelace/)
    t.notMatch(await rowsOf('object'), /hunter6/)
    t.match(await registrant(OLD), { email: 'hunter5@example.com' })
  })

  /** Tables with texts that a key has sealed, whatever their columns are. */
  const tablesSealedWith = async (key: Uint8Array) => {
    const begin = `v1.${new Keyring([key]).names[0]}.`
    const names: string[] = []
    for (const { name } of tablesOf(engine)) if ((await rowsOf(name)).includes(begin)) names.push(name)
    return names
  }

  t.test('verify looks for the keys of all sealed texts', async (t) => {
    const sealed = await tablesSealedWith(OLD)
    t.ok(sealed.includes('domain_work') && sealed.includes('object'), 'control')
    t.same(
      sealed.filter((name) => !SEALED_TABLES.includes(name)),
      [],
    )
    t.same([...(await store.read(sealingKeyNames))], new Keyring([OLD]).names)
  })

  t.test('with a new key in front everything that is sealed is sealed again', async (t) => {
    const noting = new NotingKeyring([NEW, OLD])
    await openWith(noting)
    const stored = Object.entries(SECRET_PURPOSES).flatMap(([purpose, kept]) => (kept === 'stored' ? [purpose] : []))
    t.same([...noting.purposes].sort(), stored, 'each kind of secret, of which this test has to store one')
    t.same(await tablesSealedWith(OLD), [])
    t.same([...(await store.read(sealingKeyNames))], new Keyring([NEW]).names)
    await openWith(new Keyring([OLD, NEW]))
  })

  t.test('with a new key in front secrets are sealed again at the start, and the old key can be removed', async (t) => {
    const before = await keys(OLD)
    await open(NEW, OLD)
    t.same(await keys(NEW), before)
    t.same(await hookSecret(NEW), { current: secret, previous: null })
    t.same(await keysPushedWith(NEW), pushKeys)
    t.match(await zoomSecret(NEW), { clientSecret: 'hunter3' })
    t.match(await registrant(NEW), { email: 'hunter5@example.com' })
    t.equal(await importPassword(NEW), 'hunter4')
    await t.rejects(importPassword(OLD), { code: 'corrupt' })
    await t.rejects(zoomSecret(OLD), { code: 'corrupt' })
    await t.rejects(keys(OLD), { code: 'corrupt' })
    await t.rejects(keysPushedWith(OLD), { code: 'corrupt' })
    t.same(core.vapidKeys, (await open(NEW)).vapidKeys)
  })

  t.test('secrets in clear are sealed at the start', async (t) => {
    const [rsa] = await keys(NEW)
    await store.write([account], async (work) => {
      const unit = work.account(account)
      const [object] = await listObjects(unit, account, 'DkimKey')
      const data = { selector: 'ph1', privateKey: rsa!.privateKey }
      await updateObject(unit, account, 'DkimKey', { id: object!.id, data })
    })
    t.match(await stored(store), /BEGIN/, 'control')
    await open(NEW)
    t.notMatch(await stored(store), /BEGIN/)
    t.match(await keys(NEW), [{ algorithm: 'rsa', selector: 'ph1', privateKey: rsa!.privateKey }])
  })

  t.test('unsealed secrets of the installation are sealed at the start, and stay the same', async (t) => {
    const { vapidKeys } = core
    await store.write([], ({ sql }) => changeFact(sql, 'vapid_key', vapidKeys.privateKey))
    t.match(await rowsOf('installation'), /BEGIN PRIVATE/, 'control')
    t.same((await open(NEW)).vapidKeys, vapidKeys)
    t.notMatch(await rowsOf('installation'), /BEGIN/)
    t.same((await open(NEW)).vapidKeys, vapidKeys)
  })

  t.test('a start without the key fails with its reason, and changes nothing', async (t) => {
    const before = await stored(store)
    await t.rejects(open(OLD), { code: 'corrupt' })
    t.equal(await stored(store), before)
  })
})
