// Decision D1: 401 -> 429 -> 404 path -> 403 scope -> 422 -> 404 resource -> 403 access and quota -> 409, each before the next.
// router.test.ts tests the first three.
import t from 'tap'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { UNLIMITED_PLAN } from '../../server/base/sending-limits.ts'
import { startApi } from '../support/rest-api.ts'

t.test('the checks of an endpoint', async (t) => {
  const plan = { ...UNLIMITED_PLAN, name: 'Small', mailboxes: 2, aliases: 1 }
  const { ask, key, mailbox, domainId, stranger } = await startApi(t, { limits: { plan } })
  const [alice, bob] = [await mailbox('alice'), await mailbox('bob')]
  const aliasOf = (address: string) => ({ domain_id: domainId, mailbox_id: alice.accountId, address })
  await ask('POST', '/v1/aliases', { body: aliasOf('sales') })
  const unknown = 'mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'
  const codeOf = async (...args: Parameters<typeof ask>) => {
    const { status, body } = await ask(...args)
    return `${status} ${body?.error?.code}`
  }

  t.test('the scope is checked before the request', async (t) => {
    const reader = await key(['mailboxes:read'])
    t.equal(await codeOf('POST', '/v1/mailboxes', { key: reader, body: {} }), '403 missing_scope')
    t.equal(await codeOf('POST', '/v1/mailboxes', { body: {} }), '422 validation_error', 'control')
  })

  t.test('the request is checked before the resource', async (t) => {
    const path = `/v1/mailboxes/${unknown}`
    t.equal(await codeOf('PATCH', path, { body: { display_name: 7 } }), '422 validation_error')
    t.equal(await codeOf('PATCH', path, { body: { display_name: 'A' } }), '404 not_found', 'control')
    t.equal(await codeOf('PATCH', `${path}/auto-reply`, { body: { enabled: true } }), '422 validation_error')
    t.equal(await codeOf('PATCH', '/v1/domains/dom_x', { body: {} }), '422 validation_error')
    t.equal(await codeOf('GET', `${path}/inbox/messages?limit=1000`), '422 validation_error')
    const rules = [{ name: 'R', conditions: [{ type: 'from_contains', value: '' }], actions: [{ type: 'star' }] }]
    t.equal(await codeOf('PUT', `${path}/rules`, { body: { rules } }), '422 validation_error')
    t.equal(await codeOf('PUT', `${path}/rules`, { body: { rules: [] } }), '404 not_found', 'control')
  })

  t.test('the resource is checked before the access to it', async (t) => {
    const limited = await key(['mailboxes:read', 'mailboxes:write'], { mailboxIds: [alice.accountId] })
    const { mailboxId: foreign } = await stranger()
    for (const [id, code] of [
      [unknown, '404 not_found'],
      [foreign, '404 not_found'],
      [bob.accountId, '403 mailbox_access_denied'],
      [alice.accountId, '200 undefined'],
    ] as const)
      t.equal(await codeOf('GET', `/v1/mailboxes/${id}`, { key: limited }), code)
  })

  t.test('the resource is checked before the quota, and the quota before conflicts', async (t) => {
    const create = (domain_id: string, address: string) =>
      codeOf('POST', '/v1/mailboxes', { body: { domain_id, address } })
    t.equal(await create('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq', 'new'), '404 not_found')
    t.equal(await create(domainId, 'alice'), '403 quota_exceeded')
    t.equal(await codeOf('POST', '/v1/aliases', { body: aliasOf('alice') }), '403 quota_exceeded')
    await ask('DELETE', `/v1/mailboxes/${bob.accountId}`)
    t.equal(await create(domainId, 'alice'), '409 address_taken', 'control')
  })

  t.test('a resource that the client already has is not sent again', async (t) => {
    const path = `/v1/mailboxes/${alice.accountId}`
    const first = await ask('GET', path)
    const tag = first.headers.get('etag')!
    t.match(tag, /^"[\w-]{22}"$/)
    for (const asked of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await ask('GET', path, { headers: { 'If-None-Match': asked } })
      t.match({ status: again.status, text: again.text }, { status: 304, text: '' }, asked)
      t.equal(again.headers.get('etag'), tag)
      t.ok(again.headers.get('x-request-id'))
    }
    t.equal((await ask('HEAD', path, { headers: { 'If-None-Match': tag } })).status, 304)
    await ask('PATCH', path, { body: { display_name: 'Alice' } })
    const changed = await ask('GET', path, { headers: { 'If-None-Match': tag } })
    t.match(changed, { status: 200, body: { display_name: 'Alice' } })
    t.not(changed.headers.get('etag'), tag)
    t.equal((await ask('GET', '/v1/mailboxes')).headers.get('etag'), null, 'a list has none')
  })

  t.test('HEAD is answered like GET without a body, and OPTIONS lists the methods of every path', async (t) => {
    for (const { method, path, operationId, scope } of ENDPOINTS) {
      const at = path.replace(/\{\w+\}/g, 'x')
      const { status, headers } = await ask('OPTIONS', at, { key: null })
      t.equal(status, 204, operationId)
      t.ok(headers.get('allow')!.split(', ').includes(method), operationId)
      if (method !== 'GET') continue
      const [got, head] = [await ask('GET', at), await ask('HEAD', at)]
      t.equal(head.status, got.status, operationId)
      t.equal(head.text, '', operationId)
      for (const one of [got, head]) t.match(one.headers.get('x-request-id'), /^req_/, operationId)
      if (scope) t.equal((await ask('GET', at, { key: null })).status, 401, operationId)
    }
  })
})
