/**
 * Tags: an integrator's own labels on a message it sends (api/decisions.md D14). They stay with the message, in a header field, so that
 * every copy and every client of ours can tell them.
 */

import { MESSAGE_MAX_TAGS, MESSAGE_TAG_MAX_CHARS } from '../../server/base/limits.ts'
import type { EmailObject } from '../jmap-types.ts'
import { type FieldDetail, invalidFields } from '../problem.ts'
import { array, map, object, string, union } from '../schema.ts'

export const TAGS_PROPERTY = 'header:X-Posthouse-Tags:asText'

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const value = string({ maxLength: MESSAGE_TAG_MAX_CHARS })

export const tagsField = union(
  [
    map(value, { maxProperties: MESSAGE_MAX_TAGS }),
    array(object({ name: string(), value }), { maxItems: MESSAGE_MAX_TAGS }),
  ],
  'Labels of your own, told back with the message. Recipients can see them. Also as a list of `{name, value}`.',
)

export type Tags = { readonly [name: string]: string }

/** Both spellings to one. @throws Problem with a detail for each name that is none */
export function normalTags(
  tags: Tags | readonly { readonly name: string; readonly value: string }[] | undefined,
): Tags {
  if (tags === undefined) return {}
  const entries = Array.isArray(tags)
    ? tags.map(({ name, value }): [string, string] => [name, value])
    : Object.entries(tags as Tags)
  const faults = entries
    .filter(([name]) => !NAME.test(name))
    .map(([name]): FieldDetail => {
      const message = 'A tag has a name of 1 to 64 letters, digits, hyphens and underscores.'
      return { field: `tags.${name.slice(0, 64)}`, code: 'invalid_format', message }
    })
  if (faults.length > 0) throw invalidFields(faults)
  // `__proto__` is a name like any other.
  return Object.fromEntries(entries)
}

/** As the property of Email/set; empty for no tags. */
export function tagProperties(tags: Tags): { readonly [property: string]: string } {
  const pairs = Object.entries(tags).map(([name, text]) => `${name}=${escapeValue(text.toWellFormed())}`)
  return pairs.length > 0 ? { [TAGS_PROPERTY]: pairs.join(' ') } : {}
}

/** Only of messages that came in by the API: anyone could have written the field into another one. */
export function readTags(email: EmailObject): Tags {
  const raw = email[TAGS_PROPERTY]
  if (email.source !== 'api' || typeof raw !== 'string') return {}
  const tags = raw
    .trim()
    .split(/\s+/)
    .flatMap((pair): [string, string][] => {
      const [name = '', text] = pair.split('=')
      return NAME.test(name) && text !== undefined ? [[name, decode(text)]] : []
    })
  return Object.fromEntries(tags)
}

/** What would end a pair, or be lost when the field is folded. */
function escapeValue(text: string): string {
  return text.replace(/[\s%=\x00-\x1f\x7f]/g, (char) => encodeURIComponent(char))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
