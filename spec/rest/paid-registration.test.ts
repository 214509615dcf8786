// Decisions D1, D7 and D31: a domain is paid before it is registered.

import t from 'tap'
import { workOnDomains } from '../support/domain-work.ts'
import { forEachEngine } from '../support/engines.ts'
import { fakeShop } from '../support/fake-shop.ts'
import { CONTACT } from '../support/registration-contact.ts'
import { startApi } from '../support/rest-api.ts'

await forEachEngine(t, async (t, engine) => {
  t.test('a registration needs a subscription, a payment method and a payment', async (t) => {
    const { registrar, dnsProviders } = fakeShop()
    const api = await startApi(t, { registrar, dnsProviders, billing: { kind: 'fake' } }, engine)
    const { ask, core, store, organization, request } = api
    const register = (name: string) => ask('POST', '/v1/domains/register', { body: { name, contact: CONTACT } })
    const charges = () =>
      store.read(({ sql }) =>
        sql.query((db) => db.selectFrom('billing_charge').select(['item', 'status']).orderBy('created_at')),
      )
    const work = () => workOnDomains(core)
    const fake = (card: string | null) =>
      core.billing.setFake(organization.account, { plan: 'pro', card, trialDays: 0 })

    const none = { type: 'authorization_error', code: 'subscription_required' }
    t.match(await register('acme-mail.com'), { status: 403, body: { error: none } })
    const { accountId } = organization
    await request([['Organization/set', { accountId, update: { [accountId]: { plan: 'pro' } } }]])
    const methodless = { type: 'payment_required', code: 'no_payment_method' }
    t.match(await register('acme-mail.com'), { status: 402, body: { error: methodless } })
    t.same(await charges(), [])
    await fake('4242424242424242')
    const failed = { type: 'payment_required', code: 'payment_failed' }
    t.match(await register('declined-mail.com'), { status: 402, body: { error: failed } })
    t.match(await charges(), [{ item: 'declined-mail.com', status: 'refused' }])
    t.equal((await register('acme-mail.com')).status, 201)
    t.equal((await register('acme-mail.com')).status, 200, 'the same name is the same domain')
    await work()
    t.match((await charges()).slice(1), [{ item: 'acme-mail.com', status: 'charged' }], 'it is paid once')
    const broken = await register('broken-mail.com')
    t.equal(broken.status, 201)
    await work()
    t.match((await ask('GET', `/v1/domains/${broken.body.id}`)).body, { status: 'registration_failed' })
    t.match((await charges()).slice(2), [{ item: 'broken-mail.com', status: 'refunded' }])
    await fake('4000000000000341')
    t.match(await register('other-mail.com'), { status: 402, body: { error: failed } }, 'a card that does not pay')
  })
})
