/**
 * Writes the generated files: spec/openapi.json, and rest/client/api.d.ts, the types of the client. With --check it only reports, by
 * the exit code, whether they are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type { OpenAPI3 } from 'openapi-typescript'
import { openApiDocument } from '../rest/rest.ts'

// openapi-typescript prints by TypeScript's own API, which version 7 no longer has; this package contains that of version 6.
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? '@ts-morph/common/dist/typescript.js' : name, context),
})
const { default: openapiTS, astToString } = await import('openapi-typescript')

type Json = { readonly [name: string]: unknown }

/**
 * Removes parts that types do not need: examples, headers (the client has them), and the errors, which have one shape at every
 * operation.
 */
function lean({ paths, components, webhooks: _receivers, ...rest }: Json): Json {
  const { schemas } = components as { schemas: Json }
  const kept = mapped(paths as Json, (item) => mapped(item as Json, (operation) => leanOperation(operation as Json)))
  return { ...rest, paths: kept, components: { schemas: withoutExamples(schemas) } }
}

function leanOperation({ responses, parameters, ...operation }: Json): unknown {
  const successes = Object.entries(responses as Json).filter(([status]) => status.startsWith('2'))
  const bare = mapped(Object.fromEntries(successes), (response) => ({ ...(response as Json), headers: undefined }))
  const own = (parameters as Json[]).filter((parameter) => parameter['$ref'] === undefined)
  return withoutExamples({ ...operation, parameters: own, responses: bare })
}

/** Of a schema, or of an object that contains some. A member may have the same name. */
function withoutExamples(value: unknown, ofMembers = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutExamples(item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => ofMembers || !/^examples?$/.test(name))
  return Object.fromEntries(entries.map(([name, child]) => [name, withoutExamples(child, name === 'properties')]))
}

function mapped(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

async function clientTypes(document: Json): Promise<string> {
  const options = { defaultNonNullable: false, immutable: true }
  const tree = await openapiTS(lean(document) as unknown as OpenAPI3, options)
  return `/** Made by scripts/build-openapi.ts from the OpenAPI document. */\n${astToString(tree)}`
}

const document = openApiDocument()
const files: [path: string, text: string][] = [
  ['spec/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  ['rest/client/api.d.ts', await clientTypes(document)],
]
for (const [path, text] of files) {
  const file = new URL(`../${path}`, import.meta.url)
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not what the endpoints say: run \`node scripts/build-openapi.ts\``)
    process.exitCode = 1
  }
}
