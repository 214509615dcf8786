/** Buying domains at Porkbun and DNSimple, which are fakes on loopback written from their documentation. */

import t, { type Test } from 'tap'
import { systemClock } from '../../server/base/clock.ts'
import { EXTEND_ATTEMPTS_MAX } from '../../server/base/registration-limits.ts'
import { createDnsProviders } from '../../server/dns-providers/create-dns-providers.ts'
import { Egress } from '../../server/egress/safe-fetch.ts'
import { createRegistrar, type RegistrarPlan } from '../../server/registrars/create-registrar.ts'
import { eventsOf } from '../../storage/repos/events.ts'
import { workOnDomains } from '../support/domain-work.ts'
import { createFakeDnsimple, DNSIMPLE } from '../support/fake-dnsimple.ts'
import { createFakePorkbun, PORKBUN_KEYS } from '../support/fake-porkbun.ts'
import { listenOnLoopback } from '../support/loopback-server.ts'
import { CONTACT } from '../support/registration-contact.ts'
import { startApi } from '../support/rest-api.ts'

/** As people write it: codes of countries and states in lower case. */
const WRITTEN = { ...CONTACT, state: 'ca', country: 'us' }
const ORDER = { name: 'acme-mail.com', contact: WRITTEN }
const DAY_MS = 86_400_000

/** The whole API with a registrar. */
async function startShop(t: Test, plan: Partial<RegistrarPlan> & Pick<RegistrarPlan, 'kind'>) {
  const egress = new Egress({ clock: systemClock, allowLoopback: true })
  t.teardown(() => egress.close())
  const fetch = egress.fetch.bind(egress)
  const providers = {
    own: null,
    isManual: false,
    nameServers: [],
    cloudflareBase: null,
    reach: { allowLoopback: true },
  }
  // The clock of the core stands; that of requests runs.
  const registrar = createRegistrar({ account: '', key: '', base: null, ...plan }, fetch, systemClock)
  const dnsProviders = createDnsProviders(providers, { outside: fetch, inside: fetch }, systemClock)
  const api = await startApi(t, { registrar, dnsProviders })
  const { core, clock, store, organization } = api
  const work = () => workOnDomains(core)
  const events = async () => {
    const all = await store.read((reader) => eventsOf(reader, organization.account))
    return all.filter(({ type }) => type.startsWith('domain.')).map(({ type }) => type)
  }
  return { ...api, work, events, clock }
}

async function startPorkbunShop(t: Test) {
  const porkbun = createFakePorkbun()
  const port = await listenOnLoopback(t, porkbun.server)
  const { apiKey: account, secretKey: key } = PORKBUN_KEYS
  const shop = await startShop(t, { kind: 'porkbun', account, key, base: `http://127.0.0.1:${port}` })
  porkbun.now = () => shop.clock.now()
  return { ...shop, porkbun }
}

t.test('without a registrar search and register are 503, after bad bodies', async (t) => {
  const { ask } = await startApi(t)
  const none = { status: 503, body: { error: { type: 'service_unavailable', code: 'registrar_not_configured' } } }
  t.match(await ask('POST', '/v1/domains/search', { body: { keyword: 'acme' } }), none)
  t.match(await ask('POST', '/v1/domains/register', { body: ORDER }), none)
  const wrong = [
    { keyword: '' },
    { keyword: 'x'.repeat(64) },
    { keyword: '...' },
    { keyword: '!!!' },
    { keyword: 7 },
    {},
  ]
  for (const body of wrong)
    t.equal((await ask('POST', '/v1/domains/search', { body })).status, 422, JSON.stringify(body))
  const { name: _name, ...nameless } = ORDER
  const orders = [
    nameless,
    { ...ORDER, name: 'com' },
    { ...ORDER, name: 'a.acme.com' },
    { ...ORDER, years: 0 },
    { ...ORDER, years: 11 },
  ]
  for (const body of orders)
    t.equal((await ask('POST', '/v1/domains/register', { body })).status, 422, JSON.stringify(body))
})

t.test('a contact is checked by the rules of its country, and each fault names its field', async (t) => {
  const { ask } = await startApi(t)
  const { ask: order } = await startShop(t, { kind: 'fake' })
  const faultsOf = async (contact: object) => {
    const { status, body } = await ask('POST', '/v1/domains/register', {
      body: { ...ORDER, contact: { ...WRITTEN, ...contact } },
    })
    return status === 422
      ? body.error.details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)
      : []
  }
  t.same(await faultsOf({}), [], 'control: the usual contact is taken')
  const cases: readonly (readonly [object, string])[] = [
    [{ state: undefined }, 'contact.state required'],
    [{ state: 'California' }, 'contact.state invalid_format'],
    [{ country: 'DE', state: undefined, zip: '9410' }, 'contact.zip invalid_format'],
    [{ zip: 'SW1A 1AA' }, 'contact.zip invalid_format'],
    [{ country: 'XX' }, 'contact.country invalid_format'],
    [{ country: 'USA' }, 'contact.country too_long'],
    [{ phone: '4155550100' }, 'contact.phone invalid_format'],
    [{ phone: '+1415' }, 'contact.phone invalid_format'],
    [{ phone: '+14.155550100' }, 'contact.phone invalid_format'],
    [{ email: 'ada' }, 'contact.email invalid_format'],
    [{ first_name: 'x'.repeat(65) }, 'contact.first_name too_long'],
    [{ last_name: ' ' }, 'contact.last_name required'],
    [{ address1: 'a\u0000b' }, 'contact.address1 invalid_format'],
  ]
  for (const [contact, fault] of cases) t.same(await faultsOf(contact), [fault], JSON.stringify(contact))
  t.same(await faultsOf({ city: undefined, zip: undefined }), ['contact.city required', 'contact.zip required'])
  // Where a country has no states, and with the other form of a number.
  const contact = { ...WRITTEN, country: 'DE', zip: '10115', city: 'Berlin', state: undefined, phone: '+49.301234567' }
  t.equal((await order('POST', '/v1/domains/register', { body: { ...ORDER, contact } })).status, 201)
})

t.test('a search looks a name up first, then other endings, with prices of available names', async (t) => {
  const { ask, porkbun, key } = await startPorkbunShop(t)
  const { body } = await ask('POST', '/v1/domains/search', { body: { keyword: 'Acme.dev' } })
  t.equal(body.results[0].domain_name, 'acme.dev')
  t.equal(body.results.length, 19)
  t.same(body.results[1], {
    domain_name: 'acme.com',
    available: true,
    purchase_price: '11.08',
    renewal_price: '12.50',
    currency: 'USD',
  })
  const taken = await ask('POST', '/v1/domains/search', { body: { keyword: 'taken one' } })
  t.match(taken.body.results[0], {
    domain_name: 'takenone.com',
    available: false,
    purchase_price: null,
    renewal_price: null,
  })
  porkbun.faults.push({ path: '/domain/checkDomain', fault: { status: 503, message: 'down' } })
  t.match(await ask('POST', '/v1/domains/search', { body: { keyword: 'other' } }), { status: 503 })
  porkbun.faults.push({ path: '/domain/checkDomain/more.net', fault: { status: 429, message: 'slow down' } })
  const some = await ask('POST', '/v1/domains/search', { body: { keyword: 'more' } })
  t.same(
    some.body.results.map((one: { domain_name: string }) => one.domain_name),
    ['more.com'],
    'what is known is answered',
  )
  const limited = await key(['domains:read', 'domains:write'], { mailboxIds: [] })
  t.match(await ask('POST', '/v1/domains/search', { key: limited, body: { keyword: 'a' } }), { status: 403 })
  t.match(await ask('POST', '/v1/domains/register', { key: limited, body: ORDER }), {
    status: 403,
    body: { error: { code: 'mailbox_access_denied' } },
  })
})

t.test('a domain is bought at Porkbun, its records are written, and it is pending until they are found', async (t) => {
  const { ask, porkbun, work, events, clock } = await startPorkbunShop(t)
  const made = await ask('POST', '/v1/domains/register', { body: ORDER })
  t.match(made, {
    status: 201,
    body: {
      name: 'acme-mail.com',
      status: 'registering',
      managed_by: 'service',
      dns_provider: 'porkbun',
      auto_renew: true,
      expires_at: null,
    },
  })
  t.match(await ask('DELETE', `/v1/domains/${made.body.id}`), { status: 409 }, 'it cannot be deleted meanwhile')
  const again = await ask('POST', '/v1/domains/register', { body: ORDER })
  t.match(again, { status: 200, body: { id: made.body.id } })
  await work()
  const { body } = await ask('GET', `/v1/domains/${made.body.id}`)
  t.match(body, { status: 'pending', expires_at: new Date(clock.now() + 365 * DAY_MS).toISOString() })
  t.same(porkbun.bought, [{ kind: 'create', name: 'acme-mail.com', cost: 1108 }])
  const bought = porkbun.domains.get('acme-mail.com')!
  t.equal(bought.autoRenew, false)
  t.match(bought.contact, {
    firstName: 'Ada',
    state: 'CA',
    country: 'US',
    phone: '4155550100',
    phoneCountryCode: '1',
    postalCode: '94105',
  })
  const at = (name: string, type: string) => bought.records.filter((one) => one.name === name && one.type === type)
  t.match(at('acme-mail.com', 'MX'), [{ content: 'localhost', prio: '10' }])
  t.match(at('acme-mail.com', 'TXT'), [{ content: 'v=spf1 a:localhost ~all' }])
  t.match(at('ph1._domainkey.acme-mail.com', 'TXT'), [{ content: /^v=DKIM1; k=rsa; p=/ }])
  t.match(at('_dmarc.acme-mail.com', 'TXT'), [{ content: 'v=DMARC1; p=none' }])
  t.equal(at('*.acme-mail.com', 'CNAME').length, 1, 'what the registrar put there stays')
  t.same(await events(), ['domain.registered'])
  const count = bought.records.length
  const applied = await ask('POST', `/v1/domains/${made.body.id}/dns-records/apply`, { body: {} })
  t.match(applied, {
    status: 200,
    body: { object: 'dns_changes', applied: true, create: [], update: [], delete: [], conflicts: [] },
  })
  t.equal(bought.records.length, count)
  clock.advance(DAY_MS + 1)
  t.match(await ask('POST', '/v1/domains/register', { body: ORDER }), {
    status: 409,
    body: { error: { code: 'domain_exists' } },
  })
  t.equal((await ask('DELETE', `/v1/domains/${made.body.id}`)).status, 204)
  await work()
  t.same(
    bought.records.map(({ name }) => name),
    ['*.acme-mail.com'],
    'what the server wrote is removed',
  )
  t.equal(porkbun.domains.size, 1, 'it stays registered')
})

t.test('a taken name is a conflict, and one that is refused after the payment fails with an event', async (t) => {
  const { ask, porkbun, work, events } = await startPorkbunShop(t)
  t.match(await ask('POST', '/v1/domains/register', { body: { ...ORDER, name: 'taken.com' } }), {
    status: 409,
    body: { error: { code: 'domain_unavailable' } },
  })
  const made = await ask('POST', '/v1/domains/register', { body: { ...ORDER, name: 'broken.com' } })
  t.equal(made.status, 201)
  await work()
  t.match((await ask('GET', `/v1/domains/${made.body.id}`)).body, {
    status: 'registration_failed',
    expires_at: null,
    auto_renew: false,
  })
  t.same(await events(), ['domain.registration_failed'])
  t.same(porkbun.bought, [])
  t.match(await ask('POST', '/v1/domains/register', { body: { ...ORDER, name: 'broken.com' } }), {
    status: 200,
    body: { id: made.body.id },
  })
})

t.test('a registration whose answer is lost is found, and not made again', async (t) => {
  const { ask, porkbun, work, clock } = await startPorkbunShop(t)
  porkbun.faults.push({ path: '/domain/create', fault: 'lost' })
  const { body } = await ask('POST', '/v1/domains/register', { body: ORDER })
  await work()
  t.equal((await ask('GET', `/v1/domains/${body.id}`)).body.status, 'registering')
  clock.advance(10_000)
  await work()
  t.equal((await ask('GET', `/v1/domains/${body.id}`)).body.status, 'pending')
  t.equal(porkbun.bought.length, 1)
  t.equal(porkbun.requests.filter((one) => one.includes('/domain/create/')).length, 1)
})

// Promise W4.
t.test('answers of a registrar that say nothing are no answers', async (t) => {
  const { ask, porkbun, work, clock } = await startPorkbunShop(t)
  const garbage = (path: string) => porkbun.faults.push({ path, fault: 'garbage' })
  garbage('/domain/checkDomain')
  t.equal((await ask('POST', '/v1/domains/register', { body: ORDER })).status, 503)
  porkbun.registration = '99999999.00'
  t.equal((await ask('POST', '/v1/domains/register', { body: { ...ORDER, name: 'dear.com' } })).status, 409)
  porkbun.registration = '0.00'
  t.equal((await ask('POST', '/v1/domains/register', { body: { ...ORDER, name: 'free.com' } })).status, 409)
  porkbun.registration = '11.08'
  const made = await ask('POST', '/v1/domains/register', { body: ORDER })
  t.equal(made.status, 201)
  for (const path of [
    '/domain/create',
    '/domain/get',
    '/domain/get',
    '/domain/updateContacts',
    '/dns/retrieve',
    '/dns/create',
  ])
    garbage(path)
  for (let attempt = 0; attempt < 8 && porkbun.faults.length > 0; attempt++) {
    await work()
    clock.advance(3_600_000)
  }
  await work()
  t.same(porkbun.faults, [])
  t.equal((await ask('GET', `/v1/domains/${made.body.id}`)).body.status, 'pending')
  t.equal(porkbun.bought.length, 1)
  const { records } = porkbun.domains.get('acme-mail.com')!
  const keys = records.map(({ name, type, content }) => `${name} ${type} ${content}`)
  t.equal(new Set(keys).size, keys.length, 'no record is written twice')
})

t.test('what the account held before the order is not given to a customer', async (t) => {
  const { ask, porkbun, work, clock } = await startPorkbunShop(t)
  porkbun.faults.push({ path: '/domain/create', fault: { status: 500, message: 'oops' } })
  const { body } = await ask('POST', '/v1/domains/register', { body: ORDER })
  await work()
  const old = { createDate: clock.now() - 400 * DAY_MS, expireDate: clock.now() + 300 * DAY_MS }
  porkbun.domains.set('acme-mail.com', { ...old, autoRenew: true, contact: null, ns: [], records: [] })
  clock.advance(10_000)
  await work()
  t.equal((await ask('GET', `/v1/domains/${body.id}`)).body.status, 'registration_failed')
  t.same(porkbun.domains.get('acme-mail.com')!.records, [])
})

t.test('a domain is renewed once, 30 days before it expires, unless renewal is switched off', async (t) => {
  const { ask, porkbun, work, events, clock } = await startPorkbunShop(t)
  const { body } = await ask('POST', '/v1/domains/register', { body: ORDER })
  await work()
  clock.advance(334 * DAY_MS)
  await work()
  t.equal(porkbun.bought.length, 1, 'not before')
  clock.advance(2 * DAY_MS)
  porkbun.faults.push({ path: '/domain/renew', fault: 'lost' })
  await work()
  clock.advance(200_000)
  await work()
  t.same(
    porkbun.bought.map(({ kind }) => kind),
    ['create', 'renew'],
  )
  const renewed = (await ask('GET', `/v1/domains/${body.id}`)).body
  t.equal(renewed.expires_at, new Date(porkbun.domains.get('acme-mail.com')!.expireDate).toISOString())
  t.same((await events()).at(-1), 'domain.renewed')
  t.match(await ask('PATCH', `/v1/domains/${body.id}`, { body: { auto_renew: false } }), {
    status: 200,
    body: { auto_renew: false },
  })
  clock.advance(400 * DAY_MS)
  await work()
  t.equal(porkbun.bought.length, 2)
  const other = await ask('POST', '/v1/domains', { body: { name: 'outside.org' } })
  t.match(await ask('PATCH', `/v1/domains/${other.body.id}`, { body: { auto_renew: true } }), { status: 422 })
})

t.test('a renewal that the registrar refuses is reported once and tried again the next day', async (t) => {
  const { ask, porkbun, work, events, clock } = await startPorkbunShop(t)
  await ask('POST', '/v1/domains/register', { body: ORDER })
  await work()
  clock.advance(336 * DAY_MS)
  for (let day = 0; day < 3; day++) {
    porkbun.faults.push({ path: '/domain/renew', fault: { status: 400, message: 'not now' } })
    await work()
    clock.advance(DAY_MS)
  }
  t.same((await events()).filter((type) => type === 'domain.renewal_failed').length, 1)
  await work()
  t.same(
    porkbun.bought.map(({ kind }) => kind),
    ['create', 'renew'],
  )
})

t.test('a domain for three years is bought at DNSimple, whose registry takes its time', async (t) => {
  const dnsimple = createFakeDnsimple()
  dnsimple.isSlow = true
  const port = await listenOnLoopback(t, dnsimple.server)
  const shop = await startShop(t, {
    kind: 'dnsimple',
    account: DNSIMPLE.account,
    key: DNSIMPLE.token,
    base: `http://127.0.0.1:${port}`,
  })
  const { ask, work, clock } = shop
  const made = await ask('POST', '/v1/domains/register', { body: { ...ORDER, years: 3 } })
  t.equal(made.status, 201)
  await work()
  const held = dnsimple.domains.get('acme-mail.com')!
  t.equal((await ask('GET', `/v1/domains/${made.body.id}`)).body.status, 'registering')
  held.state = 'registered'
  clock.advance(31_000)
  await work()
  t.match(dnsimple.bought, ['register acme-mail.com', 'renew acme-mail.com 2'])
  t.match(dnsimple.contacts, [{ first_name: 'Ada', phone: '+14155550100', state_province: 'CA' }])
  t.equal(held.auto_renew, false)
  const { body } = await ask('GET', `/v1/domains/${made.body.id}`)
  t.match(body, { status: 'pending', dns_provider: 'dnsimple', expires_at: held.expires_at.replace('Z', '.000Z') })
  t.match(
    held.records.filter(({ type }) => type === 'MX'),
    [
      { name: '', priority: 10 },
      { name: 'bounces', priority: 10 },
    ],
  )
  const applied = await ask('POST', `/v1/domains/${made.body.id}/dns-records/apply`, { body: { dry_run: true } })
  t.match(
    applied.body,
    { applied: false, create: [], update: [], delete: [] },
    'records on several pages are all known',
  )

  dnsimple.isSlow = false
  const lapsing = await ask('POST', '/v1/domains/register', { body: { ...ORDER, name: 'lapse-mail.com', years: 3 } })
  await work()
  const asked = () => dnsimple.requests.filter((one) => one.endsWith('lapse-mail.com/renewals')).length
  t.equal(asked(), 1)
  const told = async () => (await ask('GET', `/v1/domains/${lapsing.body.id}`)).body
  t.match(await told(), { status: 'pending', renewal_error: null }, 'further years that are refused are tried again')
  for (let hours = 0; hours < EXTEND_ATTEMPTS_MAX + 1; hours++) {
    clock.advance(3_600_000)
    await work()
  }
  t.match(await told(), { status: 'pending', renewal_error: /refused the renewal/, auto_renew: true })
  t.same([asked(), (await shop.events()).at(-1)], [EXTEND_ATTEMPTS_MAX + 1, 'domain.renewal_failed'], 'for a day')
  const lapse = dnsimple.domains.get('lapse-mail.com')!
  lapse.expires_at = new Date(Date.parse(lapse.expires_at) + 2 * 365 * DAY_MS).toISOString()
  clock.advance(DAY_MS)
  await work()
  t.match(await told(), { renewal_error: null, expires_at: lapse.expires_at }, 'years that come late are taken')
  t.equal(asked(), EXTEND_ATTEMPTS_MAX + 1)
})
