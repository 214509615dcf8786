/** Decision D1: a 422 names members of the request, never properties of the JMAP objects behind it. */
import t from 'tap'
import { openApiDocument } from '../../rest/rest.ts'
import { TYPES } from '../../rest/schema/jmap-types.ts'
import { startApi } from '../support/rest-api.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as data
type Doc = any
const document: Doc = openApiDocument()

/** Without the branch for null. */
function resolved(schema: Doc): Doc {
  const here = schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)]
  return here?.anyOf ? resolved(here.anyOf.find(({ type }: Doc) => type !== 'null')) : here
}

/** Whether `to[1].email` is a member that the schema declares, or is within a map. */
function isDeclared(schema: Doc, field: string): boolean {
  let here = resolved(schema)
  for (const part of field.split('.')) {
    const [name = '', ...indexes] = part.split(/[[\]]+/).filter((piece) => piece !== '')
    if (!here?.properties?.[name]) return Boolean(here?.additionalProperties)
    here = resolved(here.properties[name])
    for (const _ of indexes) here = resolved(here?.items)
  }
  return here !== undefined
}

/** Names that only JMAP has. */
const JMAP_NAMES = new Set([
  ...Object.values(TYPES).flatMap(({ properties }) => Object.keys(properties)),
  ...['returnUrl', 'firstName', 'lastName', 'textOverride', 'scheduledAt', 'newsletterId', 'audienceId'],
])
const camelCase = (text: string) => text.match(/\b[a-z]+[A-Z]\w*/g) ?? []

/** Of the right type for some member, so that not only the schema refuses them. */
const VALUES = ['', 'a\r\nb\u0000', 'no-such-id', ['', 'a\r\nb', ''], [{ type: 'paragraph', body: '{{a b}}' }]]

/** The sample with one wrong member each time, also within its objects. */
function* wrongBodies(schema: Doc, sample: Doc): Generator<Doc> {
  for (const [name, child] of Object.entries<Doc>(resolved(schema).properties ?? {})) {
    for (const value of VALUES) yield { ...sample, [name]: value }
    for (const inner of wrongBodies(child, sample[name] ?? {})) yield { ...sample, [name]: inner }
  }
}

t.test('every detail of audiences, newsletters, imports, registrations, billing and booking pages', async (t) => {
  const { ask, mailbox, domainId } = await startApi(t)
  const desk = await mailbox('desk')
  const make = async (path: string, body: object) => (await ask('POST', path, { body })).body.id as string
  const audience = { name: 'News', consent_source: 'Form' }
  const newsletter = { subject: 'May', blocks: [{ type: 'divider' }] }
  const page = { name: 'Call', mailbox: desk.address }
  const ids: { [name: string]: string } = {
    audience_id: await make('/v1/audiences', audience),
    newsletter_id: await make('/v1/newsletters', newsletter),
    booking_page_id: await make('/v1/booking-pages', page),
    mailbox_id: desk.accountId,
    domain_id: domainId,
  }
  const members = `/v1/audiences/${ids['audience_id']}/subscribers`
  await ask('POST', members, { body: { email_address: 'jane@example.org' } })
  ids['subscriber_id'] = (await ask('GET', members)).body.data[0].id
  const contact = { ...document.paths['/v1/domains/register'].post.requestBody.content['application/json'].example }
    .contact as object
  const files = { type: 'files', provider: 'generic', file_ids: ['no-such-id'] }
  const imap = { type: 'imap', provider: 'imap', email: 'a@example.org', password: 'x', host: 'imap.example.org' }
  const SAMPLES: { readonly [operation: string]: readonly object[] } = {
    createAudience: [audience],
    updateAudience: [{}],
    addSubscriber: [{ email_address: 'joe@example.org' }],
    addSubscribers: [{}],
    updateSubscriber: [{}],
    createNewsletter: [newsletter],
    updateNewsletter: [{}],
    scheduleNewsletter: [{}],
    testSendNewsletter: [{}],
    uploadNewsletterAsset: [{ url: 'https://mail.example.test/media/x', filename: 'x.png' }],
    startImport: [{ source: files }, { source: imap }],
    stageImportFile: [{ file_name: 'x.mbox', size_bytes: 1 }],
    registerDomain: [{ name: 'example.com', contact }],
    startCheckout: [{ plan: 'pro' }],
    openBillingPortal: [{}],
    createBookingPage: [page],
    updateBookingPage: [{}],
  }
  const seen = new Set<string>()
  for (const [path, item] of Object.entries<Doc>(document.paths)) {
    for (const [method, operation] of Object.entries<Doc>(item)) {
      const samples = SAMPLES[operation.operationId] ?? []
      const schema = operation.requestBody?.content['application/json']?.schema
      const at = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!)
      for (const body of samples.flatMap((sample) => [...wrongBodies(schema, sample)])) {
        const answer = await ask(method.toUpperCase(), at, { body })
        if (answer.status >= 500 && answer.status !== 503)
          t.fail(`${answer.status}`, { operation: operation.operationId, body })
        if (answer.status !== 422) continue
        const { message: summary, details = [] } = answer.body.error
        for (const { field, message } of details as { field: string | null; message: string }[]) {
          const what = `${operation.operationId}: ${field}: ${message}`.slice(0, 300)
          if (field !== null && !isDeclared(schema, field)) t.fail(`no member of the request: ${what}`)
          if (field !== null && camelCase(field).length > 0) t.fail(`a name of JMAP: ${what}`)
          const names = camelCase(`${message} ${summary}`).filter((name) => JMAP_NAMES.has(name))
          if (names.length > 0) t.fail(`${names.join()} in a message: ${what}`)
          seen.add(`${operation.operationId} ${field}`)
        }
      }
    }
  }
  for (const [operation, field] of [
    ['createNewsletter', 'from_name'],
    ['createNewsletter', 'blocks[0].body'],
    ['createNewsletter', 'body_text'],
    ['updateNewsletter', 'newsletter_domain_id'],
    ['addSubscriber', 'merge_fields'],
    ['startImport', 'source.file_ids'],
    ['startImport', 'options.target_folder_id'],
    ['registerDomain', 'contact.first_name'],
    ['startCheckout', 'return_url'],
    ['createBookingPage', 'window_end_minutes'],
  ])
    t.ok(seen.has(`${operation} ${field}`), `control: ${operation} refused ${field}`)
  t.ok(Object.keys(SAMPLES).every((operation) => [...seen].some((one) => one.startsWith(`${operation} `))))
})
