/** Tags: labels that the client gives a message it sends (decision D14). Recipients do not get them. */
import { MESSAGE_MAX_TAGS, MESSAGE_TAG_MAX_CHARS } from '../../server/base/limits.ts'
import type { FieldDetail } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const value = s.string({ maxLength: MESSAGE_TAG_MAX_CHARS, pattern: '^[^\\u0000]*$' })

export const tagsField = s.union(
  [
    s.map(value, { maxProperties: MESSAGE_MAX_TAGS }),
    s.array(s.object({ name: s.string(), value }), { maxItems: MESSAGE_MAX_TAGS }),
  ],
  'Your own labels, returned with the message and never sent. Also as a list of `{name, value}`.',
)

export type Tags = { readonly [name: string]: string }

/** Array.isArray() does not narrow to a readonly array. */
function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value)
}

/** Both forms read into one. @param details gets an item for each invalid name */
export function readTags(tags: s.Infer<typeof tagsField> = {}, details: FieldDetail[]): Tags {
  const entries: [string, string][] = isList(tags) ? tags.map(({ name, value }) => [name, value]) : Object.entries(tags)
  for (const [name] of entries) {
    if (NAME.test(name)) continue
    const message = 'A tag has a name of 1 to 64 letters, digits, hyphens and underscores.'
    details.push({ field: `tags.${name.slice(0, 64)}`, code: 'invalid_format', message })
  }
  // fromEntries() takes `__proto__` as any other name. PostgreSQL stores well-formed text only.
  return Object.fromEntries(entries.map(([name, text]) => [name, text.toWellFormed()]))
}

/** The filter `name:value` of a list. null: another form. */
export function readTagFilter(text: string): { readonly name: string; readonly value: string } | null {
  const at = text.indexOf(':')
  const name = text.slice(0, Math.max(0, at))
  return NAME.test(name) ? { name, value: text.slice(at + 1) } : null
}
