/**
 * Pages (api/decisions.md D4). Cursor lists are keyset lists: a cursor holds the place after the last item, not a number, so it
 * stays good for ever, whatever comes or goes. It is signed, and bound to its list, its filters and its organization.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { REST_CURSOR_MAX_CHARS, REST_PAGE_DEFAULT, REST_PAGE_MAX } from '../../server/base/limits.ts'
import { inOrder } from '../calls/jmap-calls.ts'
import { Problem } from '../errors/api-error.ts'
import {
  array,
  boolean,
  integer,
  nullable,
  object,
  optional,
  type Schema,
  string,
  withDefault,
} from '../schema/schema.ts'

const SIGNATURE_BYTES = 16

export type Filters = { readonly [name: string]: string }

interface CursorContent {
  readonly list: string
  readonly organization: number
  readonly filters: Filters
  /** The place: what it holds is the list's own affair. */
  readonly after: unknown
}

/** Makes and reads cursors with one installation's key. */
export class Cursors {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  encode(content: CursorContent): string {
    const payload = Buffer.from(JSON.stringify(content))
    return Buffer.concat([this.#sign(payload), payload]).toString('base64url')
  }

  /** null: this server did not make it. */
  decode(cursor: string): CursorContent | null {
    if (cursor.length > REST_CURSOR_MAX_CHARS || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null
    const bytes = Buffer.from(cursor, 'base64url')
    // Two texts must never be one cursor: base64url leaves room for stray bits at the end.
    if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== cursor) return null
    const payload = bytes.subarray(SIGNATURE_BYTES)
    if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.#sign(payload))) return null
    return JSON.parse(payload.toString()) as CursorContent
  }

  #sign(payload: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update('cursor\n').update(payload).digest().subarray(0, SIGNATURE_BYTES)
  }
}

/** Query parameters of every cursor list. */
export const pageQuery = {
  cursor: optional(
    string({ minLength: 1, description: '`next_cursor` of the page before; it brings its filters along.' }),
  ),
  limit: withDefault(
    integer({ minimum: 1, maximum: REST_PAGE_MAX, description: 'Items in the page.' }),
    REST_PAGE_DEFAULT,
  ),
}

export interface CursorPage<T> {
  readonly data: readonly T[]
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean; readonly limit: number }
}

export function cursorPage<T>(item: Schema<T>): Schema<CursorPage<T>> {
  const pagination = object({ next_cursor: nullable(string()), has_more: boolean(), limit: integer() })
  return object({ data: array(item), pagination })
}

/** What a list is asked for, from its query or from its cursor. */
export interface PageRequest<A> {
  readonly limit: number
  readonly filters: Filters
  /** Where the page before ended; null for the first page. */
  readonly after: A | null
  readonly list: string
  readonly organization: number
}

/**
 * @param filters as in the query; those left out (undefined) are taken from the cursor.
 * @throws Problem invalid_cursor for a cursor of another list, organization or filter
 */
export function openPage<A>(
  cursors: Cursors,
  list: string,
  organization: number,
  asked: { readonly cursor?: string; readonly limit: number },
  filters: { readonly [name: string]: string | undefined } = {},
): PageRequest<A> {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const page = { limit: asked.limit, list, organization }
  if (asked.cursor === undefined) return { ...page, filters: Object.fromEntries(given), after: null }
  const content = cursors.decode(asked.cursor)
  if (!content || content.list !== list || content.organization !== organization) throw new Problem('invalid_cursor')
  if (given.some(([name, value]) => content.filters[name] !== value)) {
    throw new Problem('invalid_cursor', { message: 'The cursor belongs to this list with other filters.' })
  }
  return { ...page, filters: content.filters, after: content.after as A }
}

/** How many to ask for: one more than the page holds tells whether there is a next one. */
export function askFor(page: PageRequest<unknown>): number {
  return page.limit + 1
}

/** What a list found: the ids its query matched, `askFor` of them or fewer at the end, and the objects of those still there. */
export interface Found<I> {
  readonly ids: readonly string[]
  readonly list: readonly I[]
}

/** @param placeOf what the cursor after an item holds */
export function closePage<I extends { readonly id: string }, A, T>(
  cursors: Cursors,
  page: PageRequest<A>,
  found: Found<I>,
  placeOf: (item: I) => A,
  show: (item: I) => T,
): CursorPage<T> {
  const items = inOrder(found.ids.slice(0, page.limit), found.list)
  const last = items.at(-1)
  const hasMore = found.ids.length > page.limit && last !== undefined
  const { list, organization, filters } = page
  const cursor = hasMore ? cursors.encode({ list, organization, filters, after: placeOf(last) }) : null
  return { data: items.map(show), pagination: { next_cursor: cursor, has_more: hasMore, limit: page.limit } }
}
