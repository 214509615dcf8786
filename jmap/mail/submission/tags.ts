/** Labels that a sender gives a submission for its own use. They never leave the server (decision D14). */
import { MESSAGE_MAX_TAGS, MESSAGE_TAG_MAX_CHARS } from '../../../server/base/limits.ts'
import { invalidProperties, type SetError } from '../../protocol/errors.ts'

export type Tags = { readonly [name: string]: string }

const NAME = /^[A-Za-z0-9_-]{1,64}$/

export function tagsFault(tags: Tags): SetError | null {
  const entries = Object.entries(tags)
  if (entries.length > MESSAGE_MAX_TAGS) return invalidProperties(['tags'], `There are at most ${MESSAGE_MAX_TAGS}.`)
  const isRight = ([name, value]: [string, string]) => NAME.test(name) && isText(value)
  return entries.every(isRight)
    ? null
    : invalidProperties(['tags'], `A name has 1 to 64 of A-Z a-z 0-9 _ -, a value ${MESSAGE_TAG_MAX_CHARS} characters.`)
}

/** PostgreSQL cannot store NUL. */
function isText(value: string): boolean {
  return value.length <= MESSAGE_TAG_MAX_CHARS && value.isWellFormed() && !value.includes('\0')
}
