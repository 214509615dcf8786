/** What it takes to add an endpoint: its declaration, and one line in the list of endpoints. */
import { readdirSync } from 'node:fs'
import t from 'tap'
import { get, onlyOne } from '../../rest/calls/jmap-calls.ts'
import { type Endpoint, endpoint, type Tag } from '../../rest/endpoint.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { buildOpenApi } from '../../rest/openapi/document.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import * as s from '../../rest/schema/schema.ts'
import { ScriptedCore, startRest, testDeps } from '../support/rest-server.ts'

const SHELVES: Tag = { name: 'Shelves', description: 'Where the books are.', after: 'Domains' }

const label = endpoint({
  method: 'POST',
  path: '/v1/shelves/{shelf_id}/labels',
  operationId: 'createLabel',
  tag: SHELVES,
  summary: 'Label a shelf',
  scope: 'domains:write',
  tier: 'write',
  pathExamples: { shelf_id: 'shf_1' },
  body: s.object({ text: s.string({ maxLength: 5 }), size: s.integer({ minimum: 1 }) }),
  bodyExample: { text: 'A-K', size: 2 },
  status: 201,
  response: s.named('Label', s.object({ object: s.constant('label'), shelf_id: s.string(), text: s.string() })),
  errors: ['not_found'],
  calls: ({ params, organization }) => ({
    found: get('Domain', { accountId: organization, ids: [params.shelf_id], properties: ['id'] }),
  }),
  reply: ({ found }, { body }) => {
    return { object: 'label' as const, shelf_id: onlyOne(found, 'shelf').id, text: body.text }
  },
})

/** The list of endpoints with its new line. */
const endpoints = [...ENDPOINTS, label]

t.test('a declared endpoint is routed, checked and answered', async (t) => {
  const core = new ScriptedCore()
  core.methods.set('Domain/get', ({ ids }) => {
    const list = Array.isArray(ids) && ids[0] === 'shf_1' ? [{ id: 'shf_1' }] : []
    return { state: '0', list, notFound: [] }
  })
  const server = await startRest(createRouter(endpoints, testDeps(core)))
  t.teardown(() => server.close())
  const ask = (id: string, body: object, key?: null) =>
    server.ask('POST', `/v1/shelves/${id}/labels`, { body, ...(key === null && { key }) })
  const body = { text: 'A-K', size: 2 }
  t.match(await ask('shf_1', body), { status: 201, body: { object: 'label', shelf_id: 'shf_1', text: 'A-K' } })
  t.match(await ask('shf_2', body), { status: 404, body: { error: { message: 'There is no such shelf.' } } })
  t.match(await ask('shf_1', body, null), { status: 401 })
  t.match(await ask('shf_1', { text: 'too long', size: 0 }), {
    status: 422,
    body: {
      error: {
        details: [
          { field: 'text', code: 'too_long' },
          { field: 'size', code: 'out_of_range' },
        ],
      },
    },
  })
  t.match(await server.ask('GET', '/v1/shelves/shf_1/labels'), { status: 405 })
})

t.test('a declared endpoint is in the OpenAPI document, with its tag, its examples and all its errors', async (t) => {
  const document = buildOpenApi(endpoints)
  t.match(document, {
    paths: {
      '/v1/shelves/{shelf_id}/labels': {
        post: {
          operationId: 'createLabel',
          tags: ['Shelves'],
          security: [{ apiKey: ['domains:write'] }],
          parameters: [{ name: 'shelf_id', in: 'path', required: true, example: 'shf_1' }],
          requestBody: {
            content: {
              'application/json': { example: { text: 'A-K', size: 2 }, schema: { required: ['text', 'size'] } },
            },
          },
          responses: {
            201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Label' } } } },
            401: {},
            403: {},
            404: { description: '`not_found`' },
            413: {},
            422: {},
            429: {},
          },
        },
      },
    },
    components: { schemas: { Label: { properties: { object: { const: 'label' } } } } },
  })
  const tags = document['tags'] as { name: string; description: string }[]
  const at = tags.findIndex(({ name }) => name === 'Shelves')
  t.same(tags[at], { name: 'Shelves', description: 'Where the books are.' })
  t.equal(tags[at - 1]?.name, 'Domains', 'the place that the tag asks for')
})

t.test('every endpoint of a resource is in the list of endpoints', async (t) => {
  const folder = new URL('../../rest/resources/', import.meta.url)
  const isEndpoint = (value: unknown): value is Endpoint =>
    typeof value === 'object' && value !== null && 'operationId' in value
  const files = readdirSync(folder)
  t.ok(files.length > 15)
  for (const file of files) {
    const exported = Object.values(await import(new URL(file, folder).href))
    for (const one of exported.filter(isEndpoint)) t.ok(ENDPOINTS.includes(one), `${file}: ${one.operationId}`)
  }
})
