/**
 * Pages (decision D4). Cursor lists are keyset lists: a cursor holds the place after the last item, not a number, so it stays valid
 * whatever is added or removed. It is signed, and bound to its list, its filters and its organization.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { REST_CURSOR_MAX_CHARS, REST_PAGE_DEFAULT, REST_PAGE_MAX } from '../../server/base/limits.ts'
import type { Principal } from '../../server/base/principal.ts'
import { inOrder } from '../calls/jmap-calls.ts'
import { ApiError } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'

const SIGNATURE_BYTES = 16

export type Filters = { readonly [name: string]: string }

interface CursorContent {
  readonly list: string
  readonly organization: number
  readonly filters: Filters
  /** The place in the list, in a form of the list's own. */
  readonly after: unknown
}

/** Makes and reads cursors with the key of the installation. */
export class Cursors {
  readonly #key: KeyObject

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key)
  }

  encode(content: CursorContent): string {
    const payload = Buffer.from(JSON.stringify(content))
    return Buffer.concat([this.#sign(payload), payload]).toString('base64url')
  }

  /** null: not a cursor of this installation. */
  decode(cursor: string): CursorContent | null {
    if (cursor.length > REST_CURSOR_MAX_CHARS || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null
    const bytes = Buffer.from(cursor, 'base64url')
    // base64url leaves room for stray bits at the end, and two texts must not be the same cursor.
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
  cursor: s.optional(
    s.string({ minLength: 1, description: '`next_cursor` of the previous page; it contains the filters.' }),
  ),
  limit: s.withDefault(
    s.integer({ minimum: 1, maximum: REST_PAGE_MAX, description: 'Items in the page.' }),
    REST_PAGE_DEFAULT,
  ),
}

/** A request for a page. */
export interface PageInput {
  readonly query: { readonly cursor?: string; readonly limit: number }
  readonly principal: Principal
  readonly cursors: Cursors
}

export interface CursorPage<T> {
  readonly data: readonly T[]
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean; readonly limit: number }
}

const pagination = s.object({ next_cursor: s.nullable(s.string()), has_more: s.boolean(), limit: s.integer() })

export function cursorPage<T>(item: s.Schema<T>): s.Schema<CursorPage<T>>
/** @param more members beside the items */
export function cursorPage<T, U>(
  item: s.Schema<T>,
  more: { readonly storage: s.Schema<U> },
): s.Schema<CursorPage<T> & { readonly storage: U }>
export function cursorPage(
  item: s.Schema<unknown>,
  more: { readonly storage?: s.Schema<unknown> } = {},
): s.Schema<unknown> {
  return s.object({ data: s.array(item), pagination, ...more })
}

/** The page that a request is for, from its query and its cursor. */
export interface Page<Place> {
  readonly list: string
  readonly filters: Filters
  /** Where the page before ended; null for the first page. */
  readonly after: Place | null
  /** Number of items to fetch: one more than the page holds, to find out whether there is a next page. */
  readonly fetch: number
  readonly input: PageInput
}

/**
 * @param filters as in the query; those left out (undefined) are taken from the cursor
 * @throws ApiError invalid_cursor for a cursor of another list, organization or filter
 */
export function openPage<Place>(
  input: PageInput,
  list: string,
  filters: { readonly [name: string]: string | undefined } = {},
): Page<Place> {
  const { query, principal, cursors } = input
  const given = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const page = { list, input, fetch: query.limit + 1 }
  if (query.cursor === undefined) return { ...page, filters: Object.fromEntries(given), after: null }
  const content = cursors.decode(query.cursor)
  if (content?.list !== list || content.organization !== principal.organization) throw new ApiError('invalid_cursor')
  if (given.some(([name, value]) => content.filters[name] !== value))
    throw new ApiError('invalid_cursor', { message: 'The cursor belongs to this list with other filters.' })
  return { ...page, filters: content.filters, after: content.after as Place }
}

/** The results for a page: the ids that the query matched, at most `fetch`, and those objects that still exist. */
export interface Found<I> {
  readonly ids: readonly string[]
  readonly list: readonly I[]
}

/** @param placeOf the place after an item, for its cursor */
export function closePage<I extends { readonly id: string }, Place, T>(
  { list, filters, input }: Page<Place>,
  found: Found<I>,
  placeOf: (item: I) => Place,
  show: (item: I) => T,
): CursorPage<T> {
  const { limit } = input.query
  const items = inOrder(found.ids.slice(0, limit), found.list)
  const last = items.at(-1)
  const hasMore = found.ids.length > limit && last !== undefined
  const { organization } = input.principal
  const cursor = hasMore ? input.cursors.encode({ list, organization, filters, after: placeOf(last) }) : null
  return { data: items.map(show), pagination: { next_cursor: cursor, has_more: hasMore, limit } }
}
