/** An example of a value, made from its schema: the schema's own example, or else the plainest value that fits. */
import type { JsonSchema } from '../schema/schema.ts'

/** Examples by the name of the member, for schemas without their own. */
const SAMPLES: { readonly [name: string]: unknown } = {
  id: '5f0c1c6e-5d8a-4f0e-9a37-0d5b8f3c2a11',
  address: 'support@example.com',
  email_address: 'jane@example.org',
  email: 'jane@example.org',
  name: 'Example',
  filename: 'order.pdf',
  content_type: 'application/pdf',
  disposition: 'attachment',
  size: 48213,
  limit: 50,
  position: 0,
  total: 1,
  ttl: 3600,
  priority: 10,
  key: 'mx',
  host: 'example.com',
  value: 'mx.posthouse.example',
  found_values: ['mx.posthouse.example'],
  total_emails: 12,
  unread_emails: 3,
  unread_threads: 2,
  sort_order: 10,
  subject: 'Your order',
  preview: 'It is on its way.',
  text: 'It is on its way.',
  message_count: 1,
  selector: 'ph1',
  folder_id: 'fld_aaaaaaaaayaaaaaaaaaacwhgpxra',
  folder_ids: ['fld_aaaaaaaaayaaaaaaaaaacwhgpxra'],
  download_path:
    '/v1/mailboxes/mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq/inbox/attachments?blob_id=blb_aaaaaaaaayaaaaaaaaaagadotaliy&name=order.pdf',
  instructions: 'Thank them, and say that the order has left.',
  used: 3,
  cc: [],
  bcc: [],
  reply_to: [],
}

/** @param ofRequest leaves out optional members without their own example */
export function exampleOf(schema: JsonSchema, ofRequest = false): unknown {
  const { examples = [], anyOf = [], type } = schema
  if (examples.length > 0) return examples[0]
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (schema.enum) return schema.enum[0]
  const [branch] = anyOf
  if (branch) return exampleOf(branch, ofRequest)
  const types = [type].flat()
  return ofType(types.includes('null') ? 'null' : types[0], schema, ofRequest)
}

function ofType(type: string | undefined, schema: JsonSchema, ofRequest: boolean): unknown {
  switch (type) {
    case 'object':
      return ofObject(schema, ofRequest)
    case 'array':
      return [exampleOf(schema.items ?? {}, ofRequest)]
    case 'string':
      return 'string'
    case 'integer':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    default:
      return null
  }
}

function ofObject({ properties = {}, required = [] }: JsonSchema, ofRequest: boolean): unknown {
  const shown = Object.entries(properties).filter(
    ([name, child]) => !ofRequest || required.includes(name) || 'examples' in child,
  )
  return Object.fromEntries(shown.map(([name, child]) => [name, sampleOf(name, child) ?? exampleOf(child, ofRequest)]))
}

/** undefined: the schema has a better example itself, or the sample does not fit. */
function sampleOf(name: string, schema: JsonSchema): unknown {
  const hasExample = ['examples', 'const', 'default', 'enum', 'anyOf', 'properties'].some(
    (keyword) => keyword in schema,
  )
  const sample = SAMPLES[name]
  if (hasExample || sample === undefined || sample === null) return undefined
  const type = Array.isArray(sample) ? 'array' : Number.isInteger(sample) ? 'integer' : typeof sample
  return [schema.type].flat().some((one) => one === type) ? sample : undefined
}
