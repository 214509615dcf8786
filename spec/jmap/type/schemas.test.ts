import { Ajv } from 'ajv'
import t from 'tap'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'

// The server compiles its schemas without this check, which would take each of its threads 60 ms.
t.test('the schemas of all properties and arguments are JSON Schemas', async (t) => {
  const { types, methods } = createStandardRegistry()
  const ajv = new Ajv({ strict: false })
  const declared = [
    ...types.map(({ type }) => [type.name, type.properties] as const),
    ...[...methods.values()].map(({ name, args }) => [name, args ?? {}] as const),
  ]
  for (const [name, properties] of declared) {
    const wrong = Object.entries(properties).filter(([, { json }]) => !ajv.validateSchema(json))
    t.same(
      wrong.map(([property]) => property),
      [],
      name,
    )
  }
  t.notOk(ajv.validateSchema({ type: 'sting' }), 'control')
})
