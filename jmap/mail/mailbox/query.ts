/** Mailbox/query: filters, sorts, sortAsTree and filterAsTree (RFC 8621 2.3). An account has few mailboxes: all in memory. */
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { fold } from '../../../storage/search/tokens.ts'
import type { MethodContext } from '../../context.ts'
import type { Json } from '../../protocol/json.ts'
import { passesFilter } from '../../type/filter.ts'
import { listResult } from '../../type/object-rules.ts'
import type { Comparator, QueryRequest, QueryResult, ReadContext } from '../../type/rules.ts'

export async function queryMailboxes(
  { method, reader }: ReadContext,
  { filter, sort, args }: QueryRequest,
): Promise<QueryResult> {
  const rows = await listMailboxes(reader, method.account.number)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const matching = new Set(rows.filter((row) => matches(method, filter, row)).map((row) => row.id))
  const kept = rows.filter((row) =>
    args['filterAsTree'] === true ? ancestry(byId, row).every(({ id }) => matching.has(id)) : matching.has(row.id),
  )
  const compare = comparator(sort)
  kept.sort(args['sortAsTree'] === true ? treeOrder(byId, compare) : compare)
  return listResult(kept.map((row) => row.id))
}

/** The mailbox and all above it, itself first. */
function ancestry(byId: ReadonlyMap<number, MailboxTable>, row: MailboxTable): MailboxTable[] {
  const line: MailboxTable[] = []
  for (let above: MailboxTable | undefined = row; above; above = byId.get(above.parent)) line.push(above)
  return line
}

function matches(method: MethodContext, filter: Json, row: MailboxTable): boolean {
  return passesFilter(filter, (name, value) => TESTS[name]!(row, value, method))
}

const TESTS: { readonly [name: string]: (row: MailboxTable, value: Json, method: MethodContext) => boolean } = {
  parentId: (row, value, method) => row.parent === (value === null ? 0 : method.number('Mailbox', String(value))),
  name: (row, value) => fold(row.name).includes(fold(String(value))),
  role: (row, value) => row.role === value,
  hasAnyRole: (row, value) => (row.role !== null) === value,
  isSubscribed: (row, value) => (row.is_subscribed === 1) === value,
}

type Compare = (a: MailboxTable, b: MailboxTable) => number

function comparator(sort: readonly Comparator[]): Compare {
  return (a, b) => {
    for (const { property, isAscending } of sort) {
      const order = SORTS[property]!(a, b)
      if (order !== 0) return isAscending ? order : -order
    }
    return a.id - b.id
  }
}

const SORTS: { readonly [property: string]: Compare } = {
  sortOrder: (a, b) => a.sort_order - b.sort_order,
  name: (a, b) => compareText(fold(a.name), fold(b.name)) || compareText(a.name_key, b.name_key),
  parentId: (a, b) => a.parent - b.parent,
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** RFC 8621 2.3: a parent before its children, which follow it at once, in the given order among siblings. */
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
