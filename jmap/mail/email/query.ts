/** Email/query and Email/queryChanges: the result lists, with all emails or with one email of each thread (RFC 8621 4.4, 4.5). */
import { IN_LIST_MAX } from '../../../server/base/limits.ts'
import { changesSince } from '../../../storage/change-log.ts'
import { countEmails, filterEmails, openEmails, selectEmailIds } from '../../../storage/repos/email-query.ts'
import type { EmailQuery } from '../../../storage/repos/email-sort.ts'
import { emailsOfThreads, findEmails } from '../../../storage/repos/emails.ts'
import type { FoundEmails } from '../../../storage/search/search-index.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { ChangedObject, QueryRequest, QueryResult, ReadContext } from '../../type/handlers.ts'
import { byKind } from '../../type/methods/query-changes.ts'
import { conditionOf, dependsOnThreads, toSort } from './conditions.ts'
import type { Email } from './email.type.ts'

export async function queryEmails(read: ReadContext, request: QueryRequest<typeof Email>): Promise<QueryResult> {
  const query: EmailQuery = {
    account: read.method.account.number,
    where: await conditionOf(read, request.filter),
    // RFC 8621 4.4.2: without a sort the server chooses the order; newest first is what clients need.
    sort: request.sort.length > 0 ? request.sort.map(toSort) : [{ column: 'received_at', ascending: false }],
  }
  return request.args.collapseThreads ? new CollapsedEmails(read, query) : new PlainEmails(read, query)
}

/** Rows per read when a list is walked. */
const CHUNK = 1_000

class PlainEmails implements QueryResult {
  readonly read: ReadContext
  readonly query: EmailQuery

  constructor(read: ReadContext, query: EmailQuery) {
    this.read = read
    this.query = query
  }

  count(): Promise<number> {
    return countEmails(this.read.reader, this.query, 'emails')
  }

  async slice(position: number, limit: number): Promise<number[]> {
    return selectEmailIds(this.read.reader, this.query, position, limit)
  }

  async indexesOf(numbers: readonly number[]): Promise<ReadonlyMap<number, number>> {
    // Most of the changed emails are not in the list: they are excluded first, then one walk finds the others.
    const wanted = new Set<number>()
    for (let i = 0; i < numbers.length; i += IN_LIST_MAX) {
      const chunk = numbers.slice(i, i + IN_LIST_MAX)
      for (const number of await filterEmails(this.read.reader, this.query, chunk)) wanted.add(number)
    }
    const indexes = new Map<number, number>()
    const list = await openEmails(this.read.reader, this.query)
    for (let offset = 0; indexes.size < wanted.size; offset += CHUNK) {
      this.read.method.request.guard.check()
      const rows = await list.next(CHUNK)
      for (const [i, { id }] of rows.entries()) if (wanted.has(id)) indexes.set(id, offset + i)
      if (rows.length < CHUNK) break
    }
    return indexes
  }

  async affected(changed: readonly ChangedObject[], since: number): Promise<{ left: number[]; entered: number[] }> {
    // A filter or sort on threads can move emails that did not change.
    return dependsOnThreads(this.query) ? withThreads(this.read, changed, since) : byKind(changed)
  }
}

/** RFC 8621 4.4.3: of each thread only the first email in the list. */
class CollapsedEmails implements QueryResult {
  readonly read: ReadContext
  readonly query: EmailQuery
  /** The shown emails with their index, in order. */
  readonly #shown = new Map<number, number>()
  readonly #threads = new Set<number>()
  #rows: FoundEmails | null = null
  #complete = false

  constructor(read: ReadContext, query: EmailQuery) {
    this.read = read
    this.query = query
  }

  count(): Promise<number> {
    return countEmails(this.read.reader, this.query, 'threads')
  }

  async slice(position: number, limit: number): Promise<number[]> {
    await this.#walk(() => this.#shown.size >= position + limit, Math.min(position + limit + 20, CHUNK))
    return [...this.#shown.keys()].slice(position, position + limit)
  }

  async indexesOf(numbers: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const missing = new Set(numbers)
    await this.#walk(() => {
      for (const number of missing) if (this.#shown.has(number)) missing.delete(number)
      return missing.size === 0
    }, CHUNK)
    return new Map(
      numbers.flatMap((number) => (this.#shown.has(number) ? [[number, this.#shown.get(number)!] as const] : [])),
    )
  }

  affected(changed: readonly ChangedObject[], since: number): Promise<{ left: number[]; entered: number[] }> {
    return withThreads(this.read, changed, since)
  }

  async #walk(enough: () => boolean, chunk: number): Promise<void> {
    this.#rows ??= await openEmails(this.read.reader, this.query)
    while (!this.#complete && !enough()) {
      this.read.method.request.guard.check()
      const rows = await this.#rows.next(chunk)
      if (rows.length < chunk) this.#complete = true
      for (const { id, thread } of rows) {
        if (this.#threads.has(thread)) continue
        this.#threads.add(thread)
        this.#shown.set(id, this.#shown.size)
      }
    }
  }
}

/** Rows of the change log of threads that are read; a request with more changed emails than that is refused before. */
const MAX_THREAD_ROWS = 20_000

/** Adds every email of the changed threads: each of them may now be, or no longer be, the shown one. */
async function withThreads(
  { reader, method }: ReadContext,
  changed: readonly ChangedObject[],
  since: number,
): Promise<{ left: number[]; entered: number[] }> {
  const account = method.account.number
  const { left, entered } = byKind(changed)
  const threads = new Set((await findEmails(reader, account, entered)).map((row) => row.thread))
  // Sequence numbers are per account: a state of Email is also a position in the log of Thread.
  const rows = await changesSince(reader, account, 'Thread', since, MAX_THREAD_ROWS + 1)
  if (rows.length > MAX_THREAD_ROWS) throw new MethodError('cannotCalculateChanges')
  for (const row of rows) if (row.kind !== 'd') threads.add(row.object)
  const members = new Set([...(await emailsOfThreads(reader, account, [...threads])).values()].flat())
  return { left: [...new Set([...left, ...members])], entered: [...members] }
}
