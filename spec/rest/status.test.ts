import t from 'tap'
import { startApi } from '../support/rest-api.ts'

t.test('the status needs no authentication, and no cache keeps it', async (t) => {
  const { ask } = await startApi(t)
  for (const path of ['/api/v1/status', '/v1/status']) {
    const { status, headers, body } = await ask('GET', path, { key: null })
    t.equal(status, 200)
    t.equal(headers.get('cache-control'), 'no-store')
    t.same(body, {
      status: 'operational',
      version: 'v1',
      time: '2026-01-01T00:00:00.000Z',
      request_id: headers.get('x-request-id'),
    })
  }
})

t.test('the status has no other method', async (t) => {
  const { ask } = await startApi(t)
  t.match(await ask('POST', '/v1/status', { key: null }), {
    status: 405,
    body: { error: { type: 'method_not_allowed' } },
  })
})
