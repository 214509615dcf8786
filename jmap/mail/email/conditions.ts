/** What the filters and sorts of Email/query mean (RFC 8621 4.4.1, 4.4.2), and on what they depend. */
import type { EmailCondition, EmailQuery, EmailSort } from '../../../storage/repos/email-query.ts'
import type { Json } from '../../core.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { Comparator, QueryRequest, ReadContext } from '../../type/rules.ts'
import { isKeyword } from '../keywords.ts'
import { emailsWithHeader } from './header-filter.ts'

export async function toCondition(read: ReadContext, filter: Json): Promise<EmailCondition> {
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
    const mailbox = method.number('Mailbox', String(value))
    return mailbox === null ? { kind: 'never' } : { kind: 'inMailbox', mailbox }
  },
  inMailboxOtherThan: (value, { method }) => ({
    kind: 'notOnlyIn',
    mailboxes: (value as readonly string[]).flatMap((id) => method.number('Mailbox', id) ?? []),
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

const COLUMN_OF = {
  receivedAt: 'received_at',
  sentAt: 'sent_at',
  size: 'size',
  from: 'from_sort',
  to: 'to_sort',
  subject: 'subject_sort',
} as const

/** RFC 8621 4.4.2 */
export function toSort(comparator: Comparator): EmailSort {
  const { property, isAscending: ascending } = comparator
  if (Object.hasOwn(COLUMN_OF, property)) return { column: COLUMN_OF[property as keyof typeof COLUMN_OF], ascending }
  const keyword = comparator['keyword']
  if (typeof keyword !== 'string' || !isKeyword(keyword))
    throw invalidArguments(`The sort '${property}' needs a keyword.`, ['sort'])
  const scope =
    property === 'hasKeyword' ? 'email' : property === 'allInThreadHaveKeyword' ? 'allInThread' : 'someInThread'
  return { keyword: keyword.toLowerCase(), scope, ascending }
}

/** Conditions and sorts over what an email may change, or other emails may change for it. */
const MUTABLE = [
  'inMailbox',
  'inMailboxOtherThan',
  'hasKeyword',
  'notKeyword',
  'allInThreadHaveKeyword',
  'someInThreadHaveKeyword',
  'noneInThreadHaveKeyword',
]

/** Whether an email once in the list stays where it is among the others until it is destroyed. */
export function isImmutableQuery({ filter, sort, args }: QueryRequest): boolean {
  const readsMutable = (condition: Json): boolean =>
    isObject(condition) &&
    (Array.isArray(condition['conditions'])
      ? condition['conditions'].some(readsMutable)
      : Object.keys(condition).some((name) => MUTABLE.includes(name)))
  return (
    args['collapseThreads'] !== true &&
    !readsMutable(filter) &&
    !sort.some(({ property }) => MUTABLE.includes(property))
  )
}

/** Whether a change of one email can move others of its thread. */
export function dependsOnThreads(query: EmailQuery): boolean {
  const inCondition = (c: EmailCondition): boolean =>
    'conditions' in c ? c.conditions.some(inCondition) : c.kind === 'threadKeyword'
  return (
    (query.where !== null && inCondition(query.where)) ||
    query.sort.some((sort) => 'keyword' in sort && sort.scope !== 'email')
  )
}
