// Decision D33: billing over REST. No organization sees another's, and keys need the scope.
import t from 'tap'
import { faults, startApi } from '../support/rest-api.ts'

t.test('a server that bills nobody', async (t) => {
  const { ask } = await startApi(t)
  t.match(await ask('GET', '/v1/billing'), {
    status: 200,
    body: {
      object: 'billing',
      provider: 'none',
      plan: 'team',
      status: 'active',
      trial_ends_at: null,
      period_start: '2026-01-01T00:00:00.000Z',
      period_end: '2026-02-01T00:00:00.000Z',
      payment_method: false,
      cancel_at: null,
      grace_ends_at: null,
    },
  })
  for (const [path, body] of [
    ['/v1/billing/checkout', { plan: 'pro' }],
    ['/v1/billing/portal', {}],
  ] as const) {
    const answer = await ask('POST', path, { body })
    t.match(answer, { status: 503, body: { error: { type: 'service_unavailable', code: 'billing_not_configured' } } })
  }
})

t.test('a server that bills by the fake', async (t) => {
  const api = await startApi(t, { billing: { kind: 'fake' } })
  const { ask, core, clock, stranger } = api
  const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)
  const checkout = (body: object, more: object = {}) => ask('POST', '/v1/billing/checkout', { body, ...more })
  const act = (url: string, action: Parameters<typeof core.billing.actOnFake>[1]) =>
    core.billing.actOnFake(tokenOf(url), action)
  const good = '4242424242424242'
  const other = await stranger()
  const NONE = { status: 'none', payment_method: false, trial_ends_at: null }

  t.test('before the checkout there is no subscription, and no portal', async (t) => {
    t.match((await ask('GET', '/v1/billing')).body, NONE)
    t.match(await ask('POST', '/v1/billing/portal', { body: {} }), {
      status: 409,
      body: { error: { code: 'invalid_state' } },
    })
  })

  t.test('bodies are checked', async (t) => {
    t.same(faults(await checkout({})), [['plan', 'required']])
    t.same(faults(await checkout({ plan: 'free' })), [['plan', 'not_allowed']])
    t.same(faults(await checkout({ plan: 'pro', return_url: 'javascript:alert(1)' })), [
      ['return_url', 'invalid_format'],
    ])
    t.same(faults(await checkout({ plan: 'pro', trial: 'no' })), [['trial', 'invalid_type']])
  })

  t.test('the checkout begins a trial, and the portal cancels and resumes', async (t) => {
    const { status, body } = await checkout({ plan: 'pro', return_url: 'https://app.example.com/' })
    t.match([status, body.url], [200, /\/billing\/fake\/v1\./])
    t.match((await ask('GET', '/v1/billing')).body, NONE, 'a link alone changes nothing')
    t.match(await act(body.url, { kind: 'subscribe', card: '4000000000000002' }), { kind: 'refused' })
    t.match((await ask('GET', '/v1/billing')).body, NONE)
    t.same(await act(body.url, { kind: 'subscribe', card: good }), {
      kind: 'done',
      returnUrl: 'https://app.example.com/',
    })
    t.match((await ask('GET', '/v1/billing')).body, {
      provider: 'fake',
      plan: 'pro',
      status: 'trialing',
      trial_ends_at: '2026-01-15T00:00:00.000Z',
      period_end: '2026-01-15T00:00:00.000Z',
      payment_method: true,
    })
    t.match((await ask('GET', '/v1/usage')).body, { plan: 'Pro trial', sends: { limit: 100 } })
    t.equal((await checkout({ plan: 'pro' })).body.error.code, 'invalid_state', 'it has this plan')
    const portal = (await ask('POST', '/v1/billing/portal', { body: {} })).body.url
    t.match(await act(portal, { kind: 'cancel' }), { kind: 'done' })
    t.match((await ask('GET', '/v1/billing')).body, { cancel_at: '2026-01-15T00:00:00.000Z' })
    t.match(await act(portal, { kind: 'resume' }), { kind: 'done' })
    t.match((await ask('GET', '/v1/billing')).body, { cancel_at: null })
    t.match(await act(portal, { kind: 'subscribe', card: good }), { kind: 'refused' }, 'the portal begins nothing')
    const larger = await checkout({ plan: 'team' })
    await act(larger.body.url, { kind: 'subscribe', card: good })
    t.match((await ask('GET', '/v1/billing')).body, { plan: 'team', status: 'trialing' })
  })

  t.test('links end after a day, and are of this server', async (t) => {
    const { url } = (await ask('POST', '/v1/billing/portal', { body: {} })).body
    t.match(await core.billing.fakePage(tokenOf(url)), { account: { card: good } }, 'control')
    const changed = tokenOf(url).replace(/.(?=.{20}$)/, (letter) => (letter === 'A' ? 'B' : 'A'))
    t.equal(await core.billing.fakePage(changed), null)
    t.equal(await core.billing.fakePage('v1.any'), null)
    clock.advance(86_400_000)
    t.equal(await core.billing.fakePage(tokenOf(url)), null)
  })

  t.test('another organization has a billing of its own', async (t) => {
    t.match((await ask('GET', '/v1/billing', { key: other.key })).body, { ...NONE, provider: 'fake' })
    t.equal((await ask('POST', '/v1/billing/portal', { body: {}, key: other.key })).status, 409)
    const link = (await checkout({ plan: 'solo' }, { key: other.key })).body.url
    await act(link, { kind: 'subscribe', card: good })
    t.match((await ask('GET', '/v1/billing', { key: other.key })).body, { plan: 'solo' })
    t.match((await ask('GET', '/v1/billing')).body, { plan: 'team' })
  })

  t.test('keys need the scope, and keys of some mailboxes have no access', async (t) => {
    await core.billing.setFake(api.organization.account, { plan: 'team', card: good, trialDays: 0 })
    const hello = await api.mailbox('hello')
    const reads = await api.key(['billing:read'])
    const writes = await api.key(['billing:write'])
    const none = await api.key(['usage:read', 'organization:write'])
    const limited = await api.key(['billing:read', 'billing:write'], { mailboxIds: [hello.accountId] })
    const asked = [
      ['GET', '/v1/billing', {}, [200, 403, 403, 403]],
      ['POST', '/v1/billing/checkout', { body: { plan: 'solo' } }, [403, 200, 403, 403]],
      ['POST', '/v1/billing/portal', { body: {} }, [403, 200, 403, 403]],
    ] as const
    for (const [method, path, body, wanted] of asked)
      for (const [i, key] of [reads, writes, none, limited].entries()) {
        const answer = await ask(method, path, { ...body, key })
        t.equal(answer.status, wanted[i], `${method} ${path} ${i}`)
        if (i === 2) t.equal(answer.body.error.code, 'missing_scope')
        if (i === 3) t.equal(answer.body.error.code, 'mailbox_access_denied')
      }
    const principal = (await core.authenticate({ kind: 'bearer', token: limited, ip: '192.0.2.1' }))!
    const { accountId } = api.organization
    const [answer] = await api.request([['Billing/get', { accountId, ids: null }]], principal)
    t.notMatch(JSON.stringify(answer), /team/, 'nor over JMAP')
  })
})
