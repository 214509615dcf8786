/** Cursor lists of the organization's objects, newest first: what all of them have in common. */
import { isId } from '../../jmap/protocol/primitives.ts'
import { get, idsOf, query, type TypeName } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { JmapObjects } from '../calls/jmap-types.ts'
import type { Context } from '../endpoint.ts'
import { askFor, type CursorPage, closePage, type Filters, type Found, openPage, type PageRequest } from './pages.ts'

export interface ListSpec<T extends TypeName, Shown> {
  /** Binds cursors to the list. */
  readonly list: string
  readonly type: T
  /** As in the query. */
  readonly filters?: { readonly [name: string]: string | undefined }
  /** The JMAP filter that they stand for; null: nothing can match. */
  readonly filter?: (filters: Filters) => { readonly [name: string]: string } | null
  /** Finds a page in another way; null: in the usual one. */
  readonly find?: (page: PageRequest<string>) => Promise<Found<JmapObjects[T]>> | null
  readonly show: (object: JmapObjects[T]) => Shown
}

type Asked = Context & { readonly query: { readonly cursor?: string; readonly limit: number } }

/** @throws Problem invalid_cursor */
export async function listOrganization<T extends TypeName, Shown>(
  { query: asked, organization, principal, cursors }: Asked,
  jmap: JmapClient,
  spec: ListSpec<T, Shown>,
): Promise<CursorPage<Shown>> {
  const page = openPage<string>(cursors, spec.list, principal.organization, asked, spec.filters)
  const found = await (spec.find?.(page) ?? findNewest(jmap, organization, page, spec))
  return closePage(cursors, page, found, ({ id }) => id, spec.show)
}

async function findNewest<T extends TypeName>(
  jmap: JmapClient,
  accountId: string,
  page: PageRequest<string>,
  { type, filter: toFilter }: Pick<ListSpec<T, unknown>, 'type' | 'filter'>,
): Promise<Found<JmapObjects[T]>> {
  const asked = toFilter ? toFilter(page.filters) : {}
  if (!asked) return { ids: [], list: [] }
  const filter = { ...asked, ...(page.after !== null && { beforeId: page.after }) }
  const { matching, found } = await jmap.call({
    matching: query(type, { accountId, filter, limit: askFor(page) }),
    found: get(type, { accountId, '#ids': idsOf('matching', type) }),
  })
  return { ids: matching.ids, list: found.list }
}

/** A filter by ids: what can be none matches nothing. @param names JMAP's by those of the query */
export function byIds(names: { readonly [name: string]: string }) {
  return (filters: Filters): { readonly [name: string]: string } | null => {
    if (!Object.values(filters).every(isId)) return null
    return Object.fromEntries(Object.entries(filters).map(([name, id]) => [names[name]!, id]))
  }
}
