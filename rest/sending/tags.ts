/** Tags: an integrator's own labels on a message it sends (api/decisions.md D14). They stay here: recipients do not see them. */
import { MESSAGE_MAX_TAGS, MESSAGE_TAG_MAX_CHARS } from '../../server/base/limits.ts'
import type { FieldDetail } from '../errors/api-error.ts'
import { array, map, object, string, union } from '../schema/schema.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const value = string({ maxLength: MESSAGE_TAG_MAX_CHARS, pattern: '^[^\\u0000]*$' })

export const tagsField = union(
  [
    map(value, { maxProperties: MESSAGE_MAX_TAGS }),
    array(object({ name: string(), value }), { maxItems: MESSAGE_MAX_TAGS }),
  ],
  'Labels of your own, told back with the message and never sent. Also as a list of `{name, value}`.',
)

export type Tags = { readonly [name: string]: string }

/** Both spellings to one. @param details takes one item for each name that is none */
export function readTags(
  tags: Tags | readonly { readonly name: string; readonly value: string }[] | undefined,
  details: FieldDetail[],
): Tags {
  const entries = Array.isArray(tags)
    ? tags.map(({ name, value }): [string, string] => [name, value])
    : Object.entries((tags ?? {}) as Tags)
  for (const [name] of entries) {
    if (NAME.test(name)) continue
    const message = 'A tag has a name of 1 to 64 letters, digits, hyphens and underscores.'
    details.push({ field: `tags.${name.slice(0, 64)}`, code: 'invalid_format', message })
  }
  // `__proto__` is a name like any other. PostgreSQL keeps well-formed text only.
  return Object.fromEntries(entries.map(([name, text]) => [name, text.toWellFormed()]))
}

/** `name:value`, as a list is asked for it. null: it is none. */
export function readTagFilter(text: string): { readonly name: string; readonly value: string } | null {
  const at = text.indexOf(':')
  const name = text.slice(0, Math.max(0, at))
  return NAME.test(name) ? { name, value: text.slice(at + 1) } : null
}
