/** The objects of one type in the organization, as their endpoints list, read and change them. */
import { isId } from '../../jmap/protocol/primitives.ts'
import type { FilterOf, NewOf, PatchOf } from '../../jmap/type/derived.ts'
import { knownId } from '../access/ids.ts'
import {
  created,
  destroyed,
  get,
  idsOf,
  type More,
  onlyOne,
  query,
  returned,
  set,
  updated,
} from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { SetErrorRules } from '../errors/jmap-errors.ts'
import { type JmapObjects, TYPES, type TypeName, type TypeOf } from '../schema/jmap-types.ts'
import { type CursorPage, closePage, type Filters, type Found, openPage, type Page, type PageInput } from './pages.ts'

interface Spec<T extends TypeName, Shown> extends SetErrorRules {
  readonly type: T
  /** As in "There is no such mailbox" */
  readonly what: string
  readonly show: (object: JmapObjects[T]) => Shown
}

interface ListSpec<T extends TypeName> {
  /** Binds cursors to the list. */
  readonly list: string
  /** As in the query. */
  readonly filters?: { readonly [name: string]: string | undefined }
  /** The JMAP filter for them; null: nothing can match. */
  readonly filter?: (filters: Filters) => object | null
  /** Another way to find a page; null: the usual one. */
  readonly find?: (page: Page<string>) => Promise<Found<JmapObjects[T]>> | null
}

export class OrganizationObjects<T extends TypeName, Shown> {
  readonly #spec: Spec<T, Shown>

  constructor(spec: Spec<T, Shown>) {
    this.#spec = spec
  }

  /** A page, newest first. @throws ApiError invalid_cursor */
  async list(
    input: PageInput & { readonly organization: string },
    jmap: JmapClient,
    { list, filters, filter, find }: ListSpec<T>,
  ): Promise<CursorPage<Shown>> {
    const page = openPage<string>(input, list, filters)
    const found = await (find?.(page) ?? this.#find(jmap, input.organization, page, filter))
    return closePage(page, found, ({ id }) => id, this.#spec.show)
  }

  async #find(jmap: JmapClient, accountId: string, page: Page<string>, toFilter: ListSpec<T>['filter']) {
    const { type } = this.#spec
    const asked = toFilter ? toFilter(page.filters) : {}
    if (!asked) return { ids: [], list: [] }
    // Every type that is listed so has the filter `beforeId`.
    const filter = { ...asked, ...(page.after !== null && { beforeId: page.after }) } as FilterOf<TypeOf<T>>
    const { matching, found } = await jmap.call({
      matching: query(type, { accountId, filter, limit: page.fetch }),
      found: get(type, { accountId, '#ids': idsOf('matching', type) }),
    })
    return { ids: matching.ids, list: found.list }
  }

  /** @throws ApiError 404 */
  async read(jmap: JmapClient, accountId: string, id: string): Promise<Shown> {
    const { type, what, show } = this.#spec
    const { found } = await jmap.call({ found: get(type, { accountId, ids: [knownId(id, what)] }) })
    return show(onlyOne(found, what))
  }

  /** `record` has what only the answer to a creation shows, such as a secret. @param writer makes the change. @throws ApiError of the SetError */
  async create(jmap: JmapClient, accountId: string, values: NewOf<TypeOf<T>>, writer = jmap) {
    const { type, what, show } = this.#spec
    const returning = TYPES[type].defaultProperties
    const { made } = await writer.call({ made: set(type, { accountId, create: { new: values }, returning }) })
    const record = created(made, 'new', this.#spec)
    return { record, shown: show(returned(made, what)) }
  }

  /** @param writer makes the change. @throws ApiError of the SetError */
  async update(
    jmap: JmapClient,
    accountId: string,
    id: string,
    patch: PatchOf<TypeOf<T>>,
    writer = jmap,
  ): Promise<Shown> {
    const { type, what, show } = this.#spec
    const update = { [knownId(id, what)]: patch }
    const returning = TYPES[type].defaultProperties
    const { changed } = await writer.call({ changed: set(type, { accountId, update, returning }) })
    updated(changed, id, this.#spec)
    return show(returned(changed, what))
  }

  /** @param more arguments of the /set. @param writer makes the change. @throws ApiError of the SetError */
  async destroy(jmap: JmapClient, accountId: string, id: string, more?: More<T, 'set'>, writer = jmap): Promise<null> {
    const { type, what } = this.#spec
    const destroy = [knownId(id, what)]
    const { gone } = await writer.call({ gone: set(type, { accountId, destroy }, more) })
    destroyed(gone, id, this.#spec)
    return null
  }
}

/** A filter by ids, in which text that is no id matches nothing. @param names of the JMAP filter by those of the query */
export function byIds(names: { readonly [name: string]: string }): (filters: Filters) => object | null {
  return (filters) => {
    if (!Object.values(filters).every(isId)) return null
    return Object.fromEntries(Object.entries(filters).map(([name, id]) => [names[name] ?? name, id]))
  }
}
