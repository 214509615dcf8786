// Decision D17: a catch-all mailbox has an identity for all addresses of its domain, and may send from them.
import t, { type Test } from 'tap'
import { faults, mail, startApi } from '../support/rest-api.ts'

async function start(t: Test) {
  const api = await startApi(t)
  const [taker, other] = [await api.mailbox('taker'), await api.mailbox('other')]
  return {
    ...api,
    taker,
    other,
    set: (id: string | null) => api.ask('PATCH', `/v1/domains/${api.domainId}`, { body: { catch_all_mailbox_id: id } }),
    async identities(id: string): Promise<string[]> {
      const { body } = await api.ask('GET', `/v1/mailboxes/${id}/identities`)
      return body.data.map(({ email }: { email: string }) => email)
    },
    send: (from: string, more: object = {}) =>
      api.ask('POST', '/v1/messages', { body: { from, to: 'bob@example.org', text: 'Hi', ...more } }),
  }
}

t.test('the catch-all mailbox has the identity *@domain, last in the list', async (t) => {
  const { set, identities, taker, other, ask, domainId } = await start(t)
  t.same(await identities(taker.accountId), ['taker@example.test'])
  await set(taker.accountId)
  await set(taker.accountId)
  t.equal(
    (await ask('POST', '/v1/aliases', { body: { domain_id: domainId, address: 'shop', mailbox_id: taker.accountId } }))
      .status,
    201,
  )
  t.same(await identities(taker.accountId), ['taker@example.test', 'shop@example.test', '*@example.test'])
  await set(other.accountId)
  t.same(await identities(taker.accountId), ['taker@example.test', 'shop@example.test'])
  t.same(await identities(other.accountId), ['other@example.test', '*@example.test'])
  await set(null)
  t.same(await identities(other.accountId), ['other@example.test'])
})

t.test('the catch-all mailbox sends from any address of the domain that has no mailbox', async (t) => {
  const { set, send, taker, core } = await start(t)
  t.same(faults(await send('any@example.test')), [['from', 'unknown_reference']], 'control: without a catch-all')
  await set(taker.accountId)
  t.match(await send('Any <any@example.test>'), {
    status: 201,
    body: { mailbox_id: taker.accountId, from_address: 'any@example.test' },
  })
  t.match(await send('any@example.test', { dry_run: true }), { status: 200, body: { mailbox_id: taker.accountId } })
  t.match(await send('other@example.test', { mailbox_id: taker.accountId }), { status: 422 }, 'it is another’s')
  const [queued] = await core.claimSubmissions('test', 10, 1_000)
  t.match(Buffer.from(queued!.bytes).toString(), /^From: Any <any@example\.test>\r$/m)
  await set(null)
  t.same(faults(await send('any@example.test')), [['from', 'unknown_reference']])
})

t.test('the identity *@domain has the name of the mailbox', async (t) => {
  const { set, taker, ask } = await start(t)
  await set(taker.accountId)
  await ask('PATCH', `/v1/mailboxes/${taker.accountId}`, { body: { display_name: 'Front desk' } })
  const { body } = await ask('GET', `/v1/mailboxes/${taker.accountId}/identities`)
  t.match(body.data.at(-1), { email: '*@example.test', name: 'Front desk' })
})

t.test('an organization cannot find the catch-all of another', async (t) => {
  const { set, taker, stranger, ask } = await start(t)
  await set(taker.accountId)
  const { key } = await stranger()
  const body = { from: 'any@example.test', to: 'bob@example.org', text: 'Hi' }
  t.same(faults(await ask('POST', '/v1/messages', { body, key })), [['from', 'unknown_reference']])
})

t.test('parallel changes leave one identity, that of the mailbox that the domain names', async (t) => {
  const { set, identities, taker, other, ask, domainId } = await start(t)
  await Promise.all([set(taker.accountId), set(other.accountId), set(null), set(other.accountId), set(taker.accountId)])
  const { body } = await ask('GET', `/v1/domains/${domainId}`)
  for (const { accountId } of [taker, other]) {
    const wildcards = (await identities(accountId)).filter((email) => email.startsWith('*'))
    t.same(wildcards, body.catch_all_mailbox_id === accountId ? ['*@example.test'] : [])
  }
})

t.test('a reply to mail that the catch-all received is sent from the address of that mail', async (t) => {
  const { set, taker, ask } = await start(t)
  await set(taker.accountId)
  const id = await taker.receive(mail({ To: 'other@example.test, sales@example.test' }))
  const { body } = await ask('GET', `/v1/messages/${id}`)
  t.match(await ask('POST', `/v1/threads/${body.thread_id}/reply`, { body: { text: 'Yes', reply_all: true } }), {
    status: 201,
    body: { from_address: 'sales@example.test', cc_addresses: [{ address: 'other@example.test' }] },
  })
})
