/** Mailbox/query: filters, sorts, sortAsTree and filterAsTree (RFC 8621 2.3). An account has few mailboxes, so all are read into memory. */
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { fold } from '../../../storage/search/tokens.ts'
import type { MethodContext } from '../../type/context.ts'
import type { Comparator, FilterOf, SortOf } from '../../type/derived.ts'
import { passesFilter } from '../../type/filter.ts'
import type { QueryRequest, QueryResult, ReadContext } from '../../type/handlers.ts'
import { listResult } from '../../type/object-handlers.ts'
import { Mailbox } from './mailbox.type.ts'

export async function queryMailboxes(
  { method, reader }: ReadContext,
  { filter, sort, args }: QueryRequest<typeof Mailbox>,
): Promise<QueryResult> {
  const rows = await listMailboxes(reader, method.account.number)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const matching = new Set(rows.filter((row) => matches(method, filter, row)).map((row) => row.id))
  const kept = rows.filter((row) =>
    args.filterAsTree ? ancestry(byId, row).every(({ id }) => matching.has(id)) : matching.has(row.id),
  )
  const compare = comparator(sort)
  kept.sort(args.sortAsTree ? treeOrder(byId, compare) : compare)
  return listResult(kept.map((row) => row.id))
}

/** The mailbox and its ancestors, the mailbox first. */
function ancestry(byId: ReadonlyMap<number, MailboxTable>, row: MailboxTable): MailboxTable[] {
  const line: MailboxTable[] = []
  for (let above: MailboxTable | undefined = row; above; above = byId.get(above.parent)) line.push(above)
  return line
}

function matches(method: MethodContext, filter: FilterOf<typeof Mailbox> | null, row: MailboxTable): boolean {
  return passesFilter(filter, {
    parentId: (id) => row.parent === (id === null ? 0 : method.number(Mailbox, id)),
    name: (text) => fold(row.name).includes(fold(text)),
    role: (role) => row.role === role,
    hasAnyRole: (value) => (row.role !== null) === value,
    isSubscribed: (value) => (row.is_subscribed === 1) === value,
  })
}

type Compare = (a: MailboxTable, b: MailboxTable) => number

type Sort = SortOf<typeof Mailbox>

function comparator(sort: readonly Comparator<Sort>[]): Compare {
  return (a, b) => {
    for (const { property, isAscending } of sort) {
      const order = SORTS[property](a, b)
      if (order !== 0) return isAscending ? order : -order
    }
    return a.id - b.id
  }
}

const SORTS: { readonly [property in Sort]: Compare } = {
  sortOrder: (a, b) => a.sort_order - b.sort_order,
  name: (a, b) => compareText(fold(a.name), fold(b.name)) || compareText(a.name_key, b.name_key),
  parentId: (a, b) => a.parent - b.parent,
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** RFC 8621 2.3: each parent directly before its children, siblings in the given order. */
function treeOrder(byId: ReadonlyMap<number, MailboxTable>, compare: Compare): Compare {
  return (a, b) => {
    const up = ancestry(byId, a).reverse()
    const other = ancestry(byId, b).reverse()
    for (let level = 0; level < Math.min(up.length, other.length); level++) {
      if (up[level]!.id !== other[level]!.id) return compare(up[level]!, other[level]!)
    }
    return up.length - other.length
  }
}
