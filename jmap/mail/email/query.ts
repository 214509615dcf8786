/** Email/query and Email/queryChanges: what the filters, sorts and collapseThreads mean (RFC 8621 4.4, 4.5). */
import { changesSince } from '../../../storage/change-log.ts'
import {
  countEmails,
  type EmailCondition,
  type EmailQuery,
  type EmailSort,
  filterEmails,
  selectEmailIds,
  selectEmails,
} from '../../../storage/repos/email-query.ts'
import { emailsOfThread, findEmails } from '../../../storage/repos/emails.ts'
import type { MethodContext } from '../../context.ts'
import type { Json } from '../../core.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { ChangedObject, Comparator, QueryRequest, QueryResult, ReadContext } from '../../type/rules.ts'
import { isKeyword } from '../keywords.ts'
import { emailsWithHeader } from './header-filter.ts'

export async function queryEmails(read: ReadContext, request: QueryRequest): Promise<QueryResult> {
  const query: EmailQuery = {
    account: read.method.account.number,
    where: request.filter === null ? null : await toCondition(read, request.filter),
    // RFC 8621 4.4.2 leaves the order without a sort to the server: newest first is what clients want.
    sort: request.sort.length > 0 ? request.sort.map(toSort) : [{ column: 'received_at', ascending: false }],
  }
  return request.args['collapseThreads'] === true ? new CollapsedEmails(read, query) : new PlainEmails(read, query)
}

/** Rows read at a time where a list has to be walked. */
const CHUNK = 500

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

  slice(position: number, limit: number): Promise<number[]> {
    return selectEmailIds(this.read.reader, this.query, position, limit)
  }

  async indexOf(number: number): Promise<number> {
    // Most of those that changed are not in the list at all: ask that first.
    if (!(await filterEmails(this.read.reader, this.query, [number])).has(number)) return -1
    for (let offset = 0; ; offset += CHUNK) {
      const ids = await selectEmailIds(this.read.reader, this.query, offset, CHUNK)
      const index = ids.indexOf(number)
      if (index >= 0) return offset + index
      if (ids.length < CHUNK) return -1
    }
  }

  async affected(changed: readonly ChangedObject[], since: number): Promise<{ left: number[]; entered: number[] }> {
    const known = {
      left: changed.filter(({ kind }) => kind !== 'c').map(({ number }) => number),
      entered: changed.filter(({ kind }) => kind !== 'd').map(({ number }) => number),
    }
    // A filter or sort over threads can move emails that did not change themselves.
    return dependsOnThreads(this.query) ? withThreads(this.read, known, since, this.query.account) : known
  }
}

/** RFC 8621 4.4.3: of each thread only the email that comes first. */
class CollapsedEmails implements QueryResult {
  readonly read: ReadContext
  readonly query: EmailQuery
  readonly #exemplars: number[] = []
  readonly #threads = new Set<number>()
  #offset = 0
  #complete = false

  constructor(read: ReadContext, query: EmailQuery) {
    this.read = read
    this.query = query
  }

  count(): Promise<number> {
    return countEmails(this.read.reader, this.query, 'threads')
  }

  async slice(position: number, limit: number): Promise<number[]> {
    await this.#walk(() => this.#exemplars.length >= position + limit, Math.min(position + limit + 20, CHUNK))
    return this.#exemplars.slice(position, position + limit)
  }

  async indexOf(number: number): Promise<number> {
    await this.#walk(() => this.#exemplars.includes(number), CHUNK)
    return this.#exemplars.indexOf(number)
  }

  async affected(changed: readonly ChangedObject[], since: number): Promise<{ left: number[]; entered: number[] }> {
    const all = changed.map(({ number }) => number)
    return withThreads(this.read, { left: all, entered: all }, since, this.query.account)
  }

  async #walk(enough: () => boolean, chunk: number): Promise<void> {
    while (!this.#complete && !enough()) {
      const rows = await selectEmails(this.read.reader, this.query, this.#offset, chunk)
      this.#offset += rows.length
      if (rows.length < chunk) this.#complete = true
      for (const { id, thread } of rows) {
        if (this.#threads.has(thread)) continue
        this.#threads.add(thread)
        this.#exemplars.push(id)
      }
    }
  }
}

/** Every email of the threads that changed: any of them may have become, or ceased to be, the one that is shown. */
async function withThreads(
  read: ReadContext,
  known: { left: number[]; entered: number[] },
  since: number,
  account: number,
) {
  const { reader } = read
  const threads = new Set((await findEmails(reader, account, known.entered)).map((row) => row.thread))
  for (const row of await changesSince(reader, account, 'Thread', since, 10_000))
    if (row.kind !== 'd') threads.add(row.object)
  const members = new Set<number>()
  for (const thread of threads) for (const { id } of await emailsOfThread(reader, account, thread)) members.add(id)
  return { left: [...new Set([...known.left, ...members])], entered: [...members] }
}

function dependsOnThreads(query: EmailQuery): boolean {
  const inCondition = (c: EmailCondition): boolean =>
    'conditions' in c ? c.conditions.some(inCondition) : c.kind === 'threadKeyword'
  return (
    (query.where !== null && inCondition(query.where)) ||
    query.sort.some((sort) => 'keyword' in sort && sort.scope !== 'email')
  )
}

async function toCondition(read: ReadContext, filter: Json): Promise<EmailCondition> {
  const object = filter as { [name: string]: Json }
  if (isObject(filter) && typeof filter['operator'] === 'string') {
    const kind = filter['operator'].toLowerCase() as 'and' | 'or' | 'not'
    const conditions: EmailCondition[] = []
    for (const condition of filter['conditions'] as readonly Json[]) conditions.push(await toCondition(read, condition))
    return { kind, conditions }
  }
  const parts: EmailCondition[] = []
  for (const [name, value] of Object.entries(object)) parts.push(await CONDITIONS[name]!(value, read))
  return parts.length === 1 ? parts[0]! : { kind: 'and', conditions: parts }
}

const TEXT_FILTERS = ['text', 'from', 'to', 'cc', 'bcc', 'subject', 'body', 'attachmentName']

/** Whether a filter needs the search index. */
export function searchesText(filter: Json): boolean {
  if (!isObject(filter)) return false
  const conditions = filter['conditions']
  return Array.isArray(conditions)
    ? conditions.some(searchesText)
    : Object.keys(filter).some((name) => TEXT_FILTERS.includes(name))
}

type ToCondition = (value: Json, read: ReadContext) => EmailCondition | Promise<EmailCondition>

const keywordCondition = (value: Json, make: (keyword: string) => EmailCondition): EmailCondition => {
  const keyword = String(value)
  if (!isKeyword(keyword)) throw invalidArguments(`'${keyword.slice(0, 100)}' is not a keyword.`, ['filter'])
  return make(keyword.toLowerCase())
}
const not = (condition: EmailCondition): EmailCondition => ({ kind: 'not', conditions: [condition] })
const at = (value: Json) => parseUTCDate(String(value))!
const text =
  (field: Extract<EmailCondition, { kind: 'text' }>['field']): ToCondition =>
  (value) => ({ kind: 'text', field, search: String(value) })

/** RFC 8621 4.4.1, one line each. */
const CONDITIONS: { readonly [name: string]: ToCondition } = {
  inMailbox: (value, { method }) => {
    const mailbox = mailboxNumber(method, String(value))
    return mailbox === null ? { kind: 'never' } : { kind: 'inMailbox', mailbox }
  },
  inMailboxOtherThan: (value, { method }) => ({
    kind: 'notOnlyIn',
    mailboxes: (value as readonly string[]).flatMap((id) => mailboxNumber(method, id) ?? []),
  }),
  before: (value) => ({ kind: 'receivedBefore', at: at(value) }),
  after: (value) => ({ kind: 'receivedFrom', at: at(value) }),
  minSize: (value) => ({ kind: 'sizeFrom', size: Number(value) }),
  maxSize: (value) => ({ kind: 'sizeBelow', size: Number(value) }),
  allInThreadHaveKeyword: (value) =>
    keywordCondition(value, (keyword) => ({ kind: 'threadKeyword', keyword, quantity: 'all' })),
  someInThreadHaveKeyword: (value) =>
    keywordCondition(value, (keyword) => ({ kind: 'threadKeyword', keyword, quantity: 'some' })),
  noneInThreadHaveKeyword: (value) =>
    keywordCondition(value, (keyword) => not({ kind: 'threadKeyword', keyword, quantity: 'some' })),
  hasKeyword: (value) => keywordCondition(value, (keyword) => ({ kind: 'keyword', keyword })),
  notKeyword: (value) => keywordCondition(value, (keyword) => not({ kind: 'keyword', keyword })),
  hasAttachment: (value) => ({ kind: 'hasAttachment', value: value === true }),
  text: text('text'),
  from: text('from'),
  to: text('to'),
  cc: text('cc'),
  bcc: text('bcc'),
  subject: text('subject'),
  body: text('body'),
  attachmentName: text('attachment'),
  header: async (value, read) => {
    const [name, contains] = value as readonly string[]
    return { kind: 'among', emails: await emailsWithHeader(read, name!, contains ?? null) }
  },
}

function mailboxNumber(method: MethodContext, id: string): number | null {
  const resolved = method.request.createdIds.resolveId(id)
  return 'unknown' in resolved ? null : method.number('Mailbox', resolved.value)
}

const COLUMN_OF = {
  receivedAt: 'received_at',
  sentAt: 'sent_at',
  size: 'size',
  from: 'from_sort',
  to: 'to_sort',
  subject: 'subject_sort',
} as const

/** RFC 8621 4.4.2 */
function toSort(comparator: Comparator): EmailSort {
  const { property, isAscending: ascending } = comparator
  if (Object.hasOwn(COLUMN_OF, property)) return { column: COLUMN_OF[property as keyof typeof COLUMN_OF], ascending }
  const keyword = comparator['keyword']
  if (typeof keyword !== 'string' || !isKeyword(keyword))
    throw invalidArguments(`The sort '${property}' needs a keyword.`, ['sort'])
  const scope =
    property === 'hasKeyword' ? 'email' : property === 'allInThreadHaveKeyword' ? 'allInThread' : 'someInThread'
  return { keyword: keyword.toLowerCase(), scope, ascending }
}
