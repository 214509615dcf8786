/** Decision D31: If-Match, and answers that show the state of their own commit. */
import t, { type Test } from 'tap'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { forEachEngine } from '../support/engines.ts'
import { startApi } from '../support/rest-api.ts'
import type { TestAnswer } from '../support/rest-server.ts'

const tagOf = ({ headers }: TestAnswer) => headers.get('etag')!
const changed = { status: 412, body: { error: { type: 'precondition_failed', code: 'precondition_failed' } } }

t.test('every operation that changes or deletes a resource honours If-Match', async (t) => {
  const changing = ENDPOINTS.filter(({ method }) => ['PATCH', 'PUT', 'DELETE'].includes(method))
  t.ok(changing.length > 15)
  for (const { operationId, resource, errors } of changing) {
    t.ok(resource, operationId)
    t.ok(errors.includes('precondition_failed'), operationId)
  }
})

/** A resource of each kind: its path, and two bodies that change it. */
async function resourcesOf(t: Test) {
  const api = await startApi(t)
  const { ask, mailbox, domainId } = api
  const alice = await mailbox('alice')
  const folders = `/v1/mailboxes/${alice.accountId}/folders`
  const made = async (path: string, body: object) => {
    const answer = await ask('POST', path, { body })
    if (answer.status !== 201) throw new Error(answer.text)
    return `${path}/${answer.body.id ?? answer.body.email_address}`
  }
  const aliased = { domain_id: domainId, mailbox_id: alice.accountId, address: 'sales' }
  const hook = { url: 'https://hooks.example.org/', events: ['message.received'] }
  const resources: [path: string, first: object, second: object][] = [
    [await made('/v1/aliases', aliased), { enabled: false }, { enabled: true }],
    [await made('/v1/webhooks', hook), { description: 'one' }, { description: 'two' }],
    [await made('/v1/api-keys', { name: 'Shop', scopes: ['usage:read'] }), { name: 'one' }, { name: 'two' }],
    [await made(folders, { name: 'Orders' }), { name: 'Bills' }, { name: 'Letters' }],
    [`/v1/mailboxes/${alice.accountId}`, { display_name: 'one' }, { display_name: 'two' }],
    [`/v1/domains/${domainId}`, { dmarc_managed_externally: true }, { dmarc_managed_externally: false }],
  ]
  return { ...api, resources, alice }
}

t.test('a resource that has changed since it was read is neither changed nor deleted', async (t) => {
  const { ask, clock, resources } = await resourcesOf(t)
  for (const [path, first, second] of resources) {
    const read = await ask('GET', path)
    const before = { 'If-Match': tagOf(read) }
    clock.advance(1_000)
    const won = await ask('PATCH', path, { body: first, headers: before })
    t.match(won, { status: 200, body: first }, `${path}: ${won.text}`)
    t.match(await ask('PATCH', path, { body: second, headers: before }), changed)
    t.match(await ask('DELETE', path, { headers: before }), changed)
    const now = await ask('GET', path)
    t.match(now.body, first, 'nothing was done')
    t.equal(tagOf(won), tagOf(now), 'the change tells the new tag')
    t.equal(won.text, now.text)
    const weak = { 'If-Match': `W/${tagOf(now)}` }
    t.match(await ask('PATCH', path, { body: second, headers: weak }), changed, 'RFC 9110 13.1.1')
    const several = { 'If-Match': `"other", ${tagOf(now)}` }
    t.equal((await ask('PATCH', path, { body: second, headers: several })).status, 200)
    t.equal((await ask('PATCH', path, { body: first, headers: { 'If-Match': '*' } })).status, 200)
    const last = await ask('GET', path)
    t.equal((await ask('DELETE', path, { headers: { 'If-Match': tagOf(last) } })).status, 204, path)
    t.equal((await ask('DELETE', path, { headers: { 'If-Match': tagOf(last) } })).status, 404, 'it is gone')
  }
})

t.test('settings of a mailbox, its rules and its messages honour If-Match', async (t) => {
  const { ask, resources, alice } = await resourcesOf(t)
  const path = `/v1/mailboxes/${alice.accountId}`
  const read = await ask('GET', path)
  const headers = { 'If-Match': tagOf(read) }
  t.equal((await ask('PATCH', `${path}/spam-filter`, { body: { threshold: 3 }, headers })).status, 200)
  t.match(await ask('PATCH', `${path}/spam-filter`, { body: { threshold: 4 }, headers }), changed)
  t.match(await ask('PATCH', `${path}/auto-reply`, { body: { enabled: false }, headers }), changed)
  const rules = { headers: { 'If-Match': tagOf(await ask('GET', `${path}/rules`)) } }
  const rule = { name: 'All', conditions: [{ type: 'all_messages', value: true }], actions: [{ type: 'star' }] }
  t.equal((await ask('PUT', `${path}/rules`, { ...rules, body: { rules: [rule] } })).status, 200)
  t.match(await ask('PUT', `${path}/rules`, { ...rules, body: { rules: [] } }), changed)
  const id = await alice.receive('From: a@example.org\nSubject: Hi\n\nHello.\n')
  const at = `${path}/inbox/messages/${id}`
  const message = { headers: { 'If-Match': tagOf(await ask('GET', at)) } }
  t.equal((await ask('PATCH', at, { ...message, body: { read: true } })).status, 200)
  t.match(await ask('PATCH', at, { ...message, body: { read: false } }), changed)
  t.ok(resources.length > 0)
})

t.test('of requests at the same time', async (t) => {
  await forEachEngine(t, async (t, engine) => {
    const { ask, mailbox } = await startApi(t, {}, engine)
    const alice = await mailbox('alice')
    const bob = await mailbox('bob')
    const path = `/v1/mailboxes/${alice.accountId}`
    const names = Array.from({ length: 10 }, (_, i) => `name ${i}`)

    await t.test('exactly one with the same If-Match succeeds, while others change other mailboxes', async (t) => {
      const headers = { 'If-Match': tagOf(await ask('GET', path)) }
      const patch = (display_name: string) => ask('PATCH', path, { body: { display_name }, headers })
      const beside = names.map((display_name) =>
        ask('PATCH', `/v1/mailboxes/${bob.accountId}`, { body: { display_name } }),
      )
      const answers = await Promise.all(names.map(patch))
      await Promise.all(beside)
      const statuses = answers.map(({ status }) => status).sort()
      t.same(statuses, [200, ...Array.from({ length: 9 }, () => 412)])
      const winner = answers.find(({ status }) => status === 200)
      t.equal((await ask('GET', path)).body.display_name, winner?.body.display_name)
    })

    await t.test('each PATCH answers with the state of its own commit', async (t) => {
      const answers = await Promise.all(names.map((display_name) => ask('PATCH', path, { body: { display_name } })))
      t.same(
        answers.map(({ body }) => body.display_name),
        names,
      )
    })
  })
})

t.test('an unknown id in the filter of a list is a 404, and a PATCH without a known member a 422', async (t) => {
  const { ask, resources, domainId, alice } = await resourcesOf(t)
  for (const filter of ['mailboxes?domain_id=', 'aliases?domain_id=', 'aliases?mailbox_id=', 'messages?mailbox_id='])
    for (const id of ['nothing', alice.roles['inbox']])
      t.equal((await ask('GET', `/v1/${filter}${id}`)).status, 404, filter)
  t.equal((await ask('GET', `/v1/mailboxes?domain_id=${domainId}`)).body.data.length, 1, 'control')
  t.equal((await ask('GET', `/v1/aliases?mailbox_id=${alice.accountId}`)).body.data.length, 1, 'control')
  for (const [path] of resources) t.equal((await ask('PATCH', path, { body: { unknown: 1 } })).status, 422, path)
})
