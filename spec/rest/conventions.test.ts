/** What all answers have in common, read from the OpenAPI document. The servers of the tests check their answers against it. */
import t from 'tap'
import { openApiDocument } from '../../rest/rest.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as data
type Doc = any
const document: Doc = openApiDocument()

function resolved(schema: Doc): Doc {
  return schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)]
}

/** Schemas of successful answers, by operation and status. */
const answers: [name: string, schema: Doc][] = Object.values<Doc>(document.paths)
  .flatMap((item) => Object.values<Doc>(item))
  .flatMap((operation) =>
    Object.entries<Doc>(operation.responses)
      .filter(([status, { content }]) => status.startsWith('2') && content?.['application/json'])
      .map(([status, { content }]): [string, Doc] => [
        `${operation.operationId} ${status}`,
        resolved(content['application/json'].schema),
      ]),
  )
  .filter(([name]) => !name.startsWith('getOpenApiDocument'))

/** Answers that are no resource. The contract gives them no member `object`. */
const NO_RESOURCE = [
  'getStatus 200',
  'rotateWebhookSecret 200',
  'testWebhook 202',
  'searchDomains 200',
  'addSubscriber 200',
  'addSubscribers 200',
]

t.test('there are responses to check', async (t) => {
  t.ok(answers.length > 50, `${answers.length}`)
  t.ok(answers.filter(([, schema]) => schema.properties.pagination).length > 10, 'lists among them')
  t.same(
    NO_RESOURCE.filter((name) => !answers.some(([one]) => one === name)),
    [],
  )
})

t.test('every resource names its kind in object', async (t) => {
  for (const [name, schema] of answers) {
    if (NO_RESOURCE.includes(name)) continue
    // A resource may have a list of results of its own.
    const items = schema.properties.object ? undefined : (schema.properties.data ?? schema.properties.results)
    if (items === undefined || items.type !== 'array') t.ok(schema.properties.object?.const, name)
    else t.ok(resolved(items.items).properties.object?.const, `items of ${name}`)
  }
})

/** Every object schema in a schema, with its place. */
function* objectsIn(schema: Doc, at: string): Generator<[at: string, schema: Doc]> {
  const here = resolved(schema)
  if (here?.properties) {
    yield [at, here]
    for (const [name, child] of Object.entries(here.properties)) yield* objectsIn(child, `${at}.${name}`)
  }
  if (here?.items) yield* objectsIn(here.items, `${at}[]`)
  for (const branch of here?.anyOf ?? []) yield* objectsIn(branch, at)
}

/**
 * Members of some answers only: the members of an action depend on its type, priority is for MX records only, recommended for records
 * that are recommended, needed_until for records that may be removed later.
 */
const SOMETIMES = [
  'DNS record: priority',
  'DNS record: recommended',
  'DNS record: needed_until',
  'action: target',
  'action: reply_mode',
  'action: instructions',
  'action: text',
  'action: html',
  'action: subject',
  'target: folder_id',
  'target: role',
]

t.test('a member without a value is null, not absent', async (t) => {
  const absent = new Set<string>()
  for (const [name, schema] of answers)
    for (const [at, object] of objectsIn(schema, name))
      for (const member of Object.keys(object.properties))
        if (!object.required?.includes(member)) absent.add(`${kindOf(at)}: ${member}`)
  t.same([...absent].filter((one) => !SOMETIMES.includes(one)).sort(), [])
})

function kindOf(at: string): string {
  if (/\.records\[\]$/.test(at) || /^applyDnsRecords 200\../.test(at)) return 'DNS record'
  if (/\.actions\[\]$/.test(at)) return 'action'
  return /\.actions\[\]\.target$/.test(at) ? 'target' : at
}

t.test('times are ISO 8601 instants: every member that ends in _at is one', async (t) => {
  let seen = 0
  for (const [name, schema] of answers)
    for (const [at, object] of objectsIn(schema, name))
      for (const [member, given] of Object.entries<Doc>(object.properties))
        if (/_at$/.test(member)) {
          seen++
          t.equal(resolved(given).format, 'date-time', `${at}.${member}`)
        }
  t.ok(seen > 20)
})

t.test('lists have the pagination of the contract', async (t) => {
  for (const [name, schema] of answers) {
    if (!schema.properties.pagination) continue
    const members = Object.keys(resolved(schema.properties.pagination).properties).sort()
    const byPosition = ['has_more', 'limit', 'next_position', 'position', 'total']
    t.same(members, schema.properties.object ? byPosition : ['has_more', 'limit', 'next_cursor'], name)
  }
})
