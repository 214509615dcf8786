import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import { SCOPES } from '../../jmap/directory/scopes.ts'
import { EVENT_TYPES, TEST_EVENT } from '../../jmap/events/event-types.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { API_ERRORS, DETAIL_CODES } from '../../rest/errors/api-error.ts'
import { createRestRouter, openApiDocument } from '../../rest/rest.ts'
import { ScriptedCore, startRest, testDeps } from '../support/rest-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as data
type Doc = any
const document: Doc = openApiDocument()
const operations: [string, Doc][] = Object.entries(document.paths).flatMap(([path, item]) => {
  return Object.entries(item as Doc).map(([method, operation]): [string, Doc] => [`${method} ${path}`, operation])
})

t.test('the committed document is generated from the endpoints', async (t) => {
  const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
  t.same(committed, document, 'run `node scripts/build-openapi.ts` after a change of an endpoint')
})

t.test('the server answers with the document without authentication', async (t) => {
  const server = await startRest(createRestRouter(testDeps(new ScriptedCore())))
  t.teardown(() => server.close())
  const { status, body } = await server.ask('GET', '/api/v1/openapi.json', { key: null })
  t.equal(status, 200)
  t.same(body, document)
})

t.test('the document has its version', async (t) => {
  t.equal(document.openapi, '3.1.0')
  t.equal(document.info.version, '0.1.0')
})

t.test('a linter finds no fault in the document', async (t) => {
  const linter = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
  const file = fileURLToPath(new URL('../openapi.json', import.meta.url))
  // The two public operations have no input, so they have no 4xx. `by-email/{email}` and `{subscriber_id}/unsubscribe` are paths of the
  // contract; no id is `by-email`.
  const skipped = ['operation-4xx-response', 'no-ambiguous-paths'].map((rule) => `--skip-rule=${rule}`)
  const options = ['--extends=recommended-strict', ...skipped, '--format=stylish']
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const run = spawnSync(process.execPath, [linter, 'lint', ...options, file], { encoding: 'utf8', env })
  t.equal(run.status, 0, `${run.stdout}${run.stderr}`)
  t.match(run.stdout + run.stderr, /Your API description is valid/)
})

t.test('every operation has a unique id, a tag with a description, a summary and an answer', async (t) => {
  const ids = operations.map(([, operation]) => operation.operationId)
  t.equal(new Set(ids).size, ids.length)
  const tags = new Map(document.tags.map(({ name, description }: Doc) => [name, description]))
  for (const [name, operation] of operations) {
    t.ok(operation.tags.length === 1 && operation.summary, name)
    t.ok(tags.get(operation.tags[0]), `${name}: ${operation.tags[0]} is explained in openapi-parts.ts`)
    t.ok(
      Object.keys(operation.responses).some((status) => status.startsWith('2')),
      name,
    )
  }
})

t.test('every operation has a description, and every body is required', async (t) => {
  let bodies = 0
  for (const [name, { summary, description, requestBody }] of operations) {
    t.ok(description?.length > 20 && description !== summary, name)
    if (!requestBody) continue
    bodies++
    t.equal(requestBody.required, true, name)
  }
  t.ok(bodies > 20)
})

t.test('the listed codes of details are those that validation uses', async (t) => {
  const { details } = document.components.schemas.Error.properties.error.properties
  t.same(details.items.properties.code.enum, DETAIL_CODES)
  t.ok(DETAIL_CODES.includes('unknown_reference'))
})

t.test('a default is part of the description, so that generated clients need not send the member', async (t) => {
  const places: string[] = []
  const walk = (value: Doc, at: string) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries<Doc>(value.properties ?? {}))
      if (member && typeof member === 'object' && 'default' in member) places.push(`${at}.${name}`)
    for (const [name, child] of Object.entries(value)) walk(child, `${at}/${name}`)
  }
  walk(document.components.schemas, 'schemas')
  walk(document.paths, 'paths')
  t.same(places, [])
  const { properties, required } = document.components.schemas.NewMessage
  t.match(properties.save_to_sent.description, /Default: true\./, 'control: there are defaults')
  t.notOk(required?.includes('save_to_sent'))
})

t.test('sending and batches document a 404', async (t) => {
  for (const path of ['/v1/messages', '/v1/messages/batch'])
    t.ok(document.paths[path].post.responses[404].content['application/json'].examples.not_found, path)
})

t.test('every reference has a target', async (t) => {
  const missing: string[] = []
  const walk = (value: Doc) => {
    if (typeof value !== 'object' || value === null) return
    if (typeof value.$ref === 'string') {
      const target = value.$ref
        .slice(2)
        .split('/')
        .reduce((at: Doc, name: string) => at?.[name], document)
      if (target === undefined) missing.push(value.$ref)
    }
    Object.values(value).forEach(walk)
  }
  walk(document)
  t.same(missing, [])
})

t.test('every parameter of a path is declared', async (t) => {
  for (const [name, operation] of operations) {
    const wanted = [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const inPath = operation.parameters.filter((parameter: Doc) => parameter.in === 'path')
    t.same(
      inPath.map((parameter: Doc) => parameter.name),
      wanted,
      name,
    )
  }
})

t.test('every error of an endpoint is documented under its status', async (t) => {
  for (const endpoint of ENDPOINTS) {
    const operation = document.paths[endpoint.path][endpoint.method.toLowerCase()]
    for (const code of endpoint.errors) {
      const response = operation.responses[API_ERRORS[code].status]
      t.ok(response?.content['application/json'].examples[code], `${endpoint.operationId} ${code}`)
    }
  }
})

t.test('security names existing scopes, and only public endpoints have none', async (t) => {
  const open = operations.filter(([, operation]) => operation.security.length === 0).map(([name]) => name)
  t.same(open, ['get /v1/status', 'get /v1/openapi.json'])
  for (const [name, operation] of operations) {
    for (const { apiKey } of operation.security)
      t.ok(
        apiKey.every((scope: string) => scope in SCOPES),
        name,
      )
  }
})

t.test('every example fits its schema', async (t) => {
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true, email: true } })
  ajv.addSchema({ $id: 'doc', ...document })
  const local = (schema: Doc): Doc => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/'))
  const receivers = Object.entries<Doc>(document.webhooks).map(([type, { post }]): [string, Doc] => [type, post])
  for (const [name, operation] of [...operations, ...receivers]) {
    const contents = [operation.requestBody, ...Object.values<Doc>(operation.responses)]
      .map((part) => part?.content?.['application/json'])
      .filter((media) => media?.example !== undefined)
    for (const media of contents) {
      const validate = ajv.compile(local(media.schema))
      t.ok(validate(media.example), `${name}: ${ajv.errorsText(validate.errors)}`)
    }
  }
})

t.test('every event of webhooks is documented', async (t) => {
  t.same(Object.keys(document.webhooks), [...EVENT_TYPES, TEST_EVENT])
  for (const { post } of Object.values<Doc>(document.webhooks)) {
    const { schema, example } = post.requestBody.content['application/json']
    t.equal(Object.keys(document.components.schemas[schema.$ref.split('/').at(-1)].properties).length, 4)
    t.notMatch(JSON.stringify(example), /"string"/)
  }
})

t.test('every operation has realistic examples of a request and an answer', async (t) => {
  for (const [name, operation] of operations) {
    for (const part of [operation.requestBody, ...Object.values<Doc>(operation.responses)]) {
      const media = part?.content?.['application/json']
      if (!media) continue
      const shown = media.example ?? Object.values(media.examples)
      t.ok(shown, name)
      if (name !== 'get /v1/openapi.json') t.ok(Object.keys(shown).length > 0, `${name} shows something`)
      t.notMatch(JSON.stringify(shown), /"string"/, `${name} shows values that are like real ones`)
    }
    for (const parameter of operation.parameters.filter((one: Doc) => one.in === 'path'))
      t.not(parameter.example, 'string', `${name} ${parameter.name}`)
  }
})

t.test('every answer documents its header fields', async (t) => {
  for (const [name, operation] of operations) {
    const headers = (status: string | number) => Object.keys(operation.responses[status]?.headers ?? {})
    const success = Object.keys(operation.responses).find((status) => status.startsWith('2'))!
    for (const status of Object.keys(operation.responses)) t.ok(headers(status).includes('X-Request-Id'), name)
    if (operation.security.length === 0) continue
    for (const status of [success, 403, 429])
      for (const header of [
        'RateLimit-Policy',
        'RateLimit',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
      ])
        t.ok(headers(status).includes(header), `${name} ${status} ${header}`)
    t.ok(headers(429).includes('Retry-After') && headers(503).includes('Retry-After'), name)
    t.ok(headers(401).includes('WWW-Authenticate'), name)
    const asked = operation.parameters.map((one: Doc) => one.$ref ?? one.name)
    t.equal(asked.includes('#/components/parameters/Idempotency-Key'), name.startsWith('post '), name)
    const isTagged = headers(success).includes('ETag')
    const [reads, changes] = [name.startsWith('get '), /^(?:patch|put|delete) /.test(name)]
    t.equal(asked.includes('#/components/parameters/If-None-Match'), reads && isTagged, name)
    t.equal(asked.includes('#/components/parameters/If-Match'), changes, name)
    t.equal('412' in operation.responses, changes, name)
  }
})

// A secret is shown when it is created, and never again.
const SHOW_ONCE = ['createWebhook', 'rotateWebhookSecret']

t.test('no answer has a secret, except when it is created', async (t) => {
  for (const endpoint of ENDPOINTS.filter(({ operationId }) => !SHOW_ONCE.includes(operationId))) {
    for (const schema of endpoint.responses.values()) t.notMatch(JSON.stringify(schema), /password|"secret":/)
  }
})
