/** An example of a value from its schema: its own examples where it has some, and otherwise the plainest value that fits. */
import type { JsonSchema } from './schema.ts'

/** What stands under a name wherever the schema has no example of its own. */
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

/** @param how.given for a request: members that may be left out are left out unless they have an example of their own */
export function exampleOf(schema: JsonSchema, how: { readonly given?: boolean } = {}): unknown {
  const examples = schema['examples'] as unknown[] | undefined
  if (examples && examples.length > 0) return examples[0]
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (Array.isArray(schema['anyOf'])) return exampleOf(schema['anyOf'][0] as JsonSchema, how)
  const type = schema['type']
  return ofType(Array.isArray(type) ? (type.includes('null') ? 'null' : type[0]) : type, schema, how)
}

function ofType(type: unknown, schema: JsonSchema, how: { readonly given?: boolean }): unknown {
  switch (type) {
    case 'object':
      return ofObject(schema, how)
    case 'array':
      return [exampleOf(schema['items'] as JsonSchema, how)]
    case 'string':
      return 'string'
    case 'integer':
      return schema['minimum'] ?? 0
    case 'boolean':
      return false
    default:
      return null
  }
}

function ofObject(schema: JsonSchema, how: { readonly given?: boolean }): unknown {
  const properties = Object.entries((schema['properties'] ?? {}) as { [name: string]: JsonSchema })
  const required = (schema['required'] ?? []) as string[]
  const shown = properties.filter(([name, child]) => !how.given || required.includes(name) || 'examples' in child)
  return Object.fromEntries(shown.map(([name, child]) => [name, sampleOf(name, child) ?? exampleOf(child, how)]))
}

/** undefined where the schema says better itself what fits. */
function sampleOf(name: string, schema: JsonSchema): unknown {
  const types = [schema['type']].flat()
  const tells = ['examples', 'const', 'default', 'enum', 'anyOf', 'properties'].some((keyword) => keyword in schema)
  const sample = SAMPLES[name]
  if (tells || sample === undefined || sample === null) return undefined
  const kind: unknown = Array.isArray(sample) ? 'array' : Number.isInteger(sample) ? 'integer' : typeof sample
  return types.some((type) => type === kind) ? sample : undefined
}
