import t, { type Test } from 'tap'
import { endpoint } from '../../rest/endpoint.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { closePage, cursorPage, openPage, pageQuery } from '../../rest/pagination/pages.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import { object, optional, string } from '../../rest/schema/schema.ts'
import { OWNER, ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

const Item = object({ id: string() })
const ALL = Array.from({ length: 5 }, (_, i) => ({ id: `item${5 - i}` }))

/** A list over fixed items, newest first; the cursor keeps the filter `color`. */
function listOf(path: `/v1/${string}`, items = ALL) {
  return endpoint({
    method: 'GET',
    path,
    operationId: path.slice(4),
    tag: TAG,
    summary: 'A list',
    scope: 'domains:read',
    tier: 'read',
    query: object({ color: optional(string()), ...pageQuery }),
    status: 200,
    response: cursorPage(Item),
    errors: [],
    run: async (input) => {
      const page = openPage<string>(input, path, { color: input.query.color })
      const { after } = page
      const rest = after === null ? items : items.filter(({ id }) => id < after)
      const found = rest.slice(0, page.fetch)
      return closePage(
        page,
        { ids: found.map(({ id }) => id), list: found },
        ({ id }) => id,
        (item) => item,
      )
    },
  })
}

async function start(t: Test, config = {}) {
  const core = new ScriptedCore()
  core.keys.set('sk_other', { ...OWNER, organization: 2 })
  const server = await startRest(createRouter([listOf('/v1/ones'), listOf('/v1/twos')], testDeps(core, { config })))
  t.teardown(() => server.close())
  return server
}

t.test('pages neither lose nor repeat items', async (t) => {
  const server = await start(t)
  const seen: string[] = []
  let cursor = ''
  for (let i = 0; i < 3; i++) {
    const { body } = await server.ask('GET', `/v1/ones?limit=2${cursor}`)
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    t.equal(body.pagination.has_more, i < 2)
    t.equal(body.pagination.limit, 2)
    t.equal(typeof body.pagination.next_cursor, i < 2 ? 'string' : 'object')
    cursor = `&cursor=${body.pagination.next_cursor}`
  }
  t.same(
    seen,
    ALL.map(({ id }) => id),
  )
})

t.test('a page that is exactly full is the last one', async (t) => {
  const { body } = await (await start(t)).ask('GET', '/v1/ones?limit=5')
  t.match(body, { data: { length: 5 }, pagination: { has_more: false, next_cursor: null } })
})

t.test('a page has 50 items by default', async (t) => {
  t.equal((await (await start(t)).ask('GET', '/v1/ones')).body.pagination.limit, 50)
})

t.test('a limit out of range is refused', async (t) => {
  const server = await start(t)
  for (const limit of ['0', '101', '-1', 'x', '2.0']) {
    t.match(await server.ask('GET', `/v1/ones?limit=${limit}`), { status: 422 }, limit)
  }
  t.equal((await server.ask('GET', '/v1/ones?limit=100')).status, 200)
})

const refused = { status: 422, body: { error: { type: 'validation_error', code: 'invalid_cursor' } } }

t.test('a cursor is valid for its own list, organization and installation only', async (t) => {
  const server = await start(t)
  const { next_cursor: cursor } = (await server.ask('GET', '/v1/ones?limit=2')).body.pagination
  t.equal((await server.ask('GET', `/v1/ones?cursor=${cursor}`)).status, 200)
  t.match(await server.ask('GET', `/v1/twos?cursor=${cursor}`), refused)
  t.match(await server.ask('GET', `/v1/ones?cursor=${cursor}`, { key: 'sk_other' }), refused)
  const elsewhere = await start(t, { cursorKey: new Uint8Array(32).fill(1) })
  t.match(await elsewhere.ask('GET', `/v1/ones?cursor=${cursor}`), refused)
})

t.test('an altered cursor is refused', async (t) => {
  const server = await start(t)
  const { next_cursor: cursor } = (await server.ask('GET', '/v1/ones?limit=2')).body.pagination
  for (let i = 0; i < cursor.length; i += 7) {
    const other = cursor[i] === 'A' ? 'B' : 'A'
    const altered = cursor.slice(0, i) + other + cursor.slice(i + 1)
    t.match(await server.ask('GET', `/v1/ones?cursor=${altered}`), refused)
  }
  for (const odd of ['x', '%20', 'AAAA', cursor.slice(0, -1), `${cursor}A`, 'A'.repeat(9_000)]) {
    t.match(await server.ask('GET', `/v1/ones?cursor=${odd}`), refused, odd.slice(0, 20))
  }
})

t.test('a cursor keeps its filters and refuses others', async (t) => {
  const server = await start(t)
  const { next_cursor: cursor } = (await server.ask('GET', '/v1/ones?limit=2&color=red')).body.pagination
  t.equal((await server.ask('GET', `/v1/ones?cursor=${cursor}`)).status, 200)
  t.equal((await server.ask('GET', `/v1/ones?cursor=${cursor}&color=red`)).status, 200)
  t.match(await server.ask('GET', `/v1/ones?cursor=${cursor}&color=blue`), refused)
})

t.test('every list of the API has these query parameters', async (t) => {
  const limit = { type: 'integer', minimum: 1, maximum: 100, default: 50 }
  const lists = ENDPOINTS.map(({ operationId, query }) => {
    return { operationId, asked: query?.properties ?? {} }
  }).filter(({ asked }) => 'limit' in asked)
  t.ok(lists.length >= 9)
  for (const { operationId, asked } of lists) {
    // Decision D4
    const own = operationId === 'listCalendarEvents' ? { maximum: 250, default: 100 } : {}
    t.match(asked['limit'], { ...limit, ...own }, operationId)
    if (!('cursor' in asked)) t.match(asked['position'], { minimum: 0, default: 0 }, operationId)
  }
})
