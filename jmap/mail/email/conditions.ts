/** What the filters and sorts of Email/query mean (RFC 8621 4.4.1, 4.4.2), and on what they depend. */
import type { EmailCondition } from '../../../storage/repos/email-condition.ts'
import type { EmailQuery, EmailSort } from '../../../storage/repos/email-query.ts'
import type { SearchField } from '../../../storage/search/words.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { Comparator, QueryRequest, ReadContext } from '../../type/rules.ts'
import { isKeyword } from '../keywords.ts'
import { phrasesOf } from '../search/phrases.ts'
import { emailsWithHeader, isNameAlone } from './header-filter.ts'

/** @param given conditions that hold for all that the filter is asked about */
export async function toCondition(
  read: ReadContext,
  filter: Json,
  given: readonly EmailCondition[] = [],
): Promise<EmailCondition> {
  const { operator, conditions } = filter as { operator?: string; conditions: readonly JsonObject[] }
  if (operator !== 'OR' && operator !== 'NOT') return all(read, together(filter as JsonObject), given)
  const parts: EmailCondition[] = []
  for (const inner of conditions) parts.push(await toCondition(read, inner, given))
  return { kind: operator === 'OR' ? 'or' : 'not', conditions: parts }
}

/** RFC 8621 4.4.1: each property is a condition of its own; those that must all hold, down to the next OR or NOT. */
function together(filter: JsonObject): JsonObject[] {
  const { operator, conditions } = filter as { operator?: string; conditions: readonly JsonObject[] }
  if (operator === 'AND') return conditions.flatMap(together)
  if (typeof operator === 'string') return [filter]
  return Object.entries(filter).map(([name, value]) => ({ [name]: value }))
}

/** What needs messages to be read comes last: it is asked about those only that the others let through. */
async function all(
  read: ReadContext,
  filters: readonly JsonObject[],
  given: readonly EmailCondition[],
): Promise<EmailCondition> {
  const parts: EmailCondition[] = []
  const single = (filter: JsonObject, more: readonly EmailCondition[]) => {
    if (typeof filter['operator'] === 'string') return toCondition(read, filter, more)
    const [name, value] = Object.entries(filter)[0]!
    return CONDITIONS[name]!(value, read, more)
  }
  for (const filter of filters.filter((inner) => !readsMessages(inner))) parts.push(await single(filter, given))
  for (const filter of filters.filter(readsMessages)) parts.push(await single(filter, [...given, ...parts]))
  return parts.length === 1 ? parts[0]! : { kind: 'and', conditions: parts }
}

/** Whether any condition of a filter passes a test of its name and value. */
function someCondition(filter: Json, test: (name: string, value: Json) => boolean): boolean {
  if (!isObject(filter)) return false
  const conditions = filter['conditions']
  return Array.isArray(conditions)
    ? conditions.some((inner) => someCondition(inner, test))
    : Object.entries(filter).some(([name, value]) => test(name, value))
}

function readsMessages(filter: Json): boolean {
  return someCondition(filter, (name, value) => name === 'header' && !isNameAlone(value as readonly string[]))
}

const INDEX_FILTERS = ['text', 'from', 'to', 'cc', 'bcc', 'subject', 'body', 'attachmentName', 'header']

/** Whether a filter needs the search index. */
export function asksIndex(filter: Json): boolean {
  return someCondition(filter, (name) => INDEX_FILTERS.includes(name))
}

type ToCondition = (
  value: Json,
  read: ReadContext,
  given: readonly EmailCondition[],
) => EmailCondition | Promise<EmailCondition>

const keywordCondition = (value: Json, make: (keyword: string) => EmailCondition): EmailCondition => {
  const keyword = String(value)
  if (!isKeyword(keyword)) throw invalidArguments(`'${keyword.slice(0, 100)}' is not a keyword.`, ['filter'])
  return make(keyword.toLowerCase())
}
const not = (condition: EmailCondition): EmailCondition => ({ kind: 'not', conditions: [condition] })
const at = (value: Json) => parseUTCDate(String(value))!
const text =
  (field: SearchField | 'text'): ToCondition =>
  (value) => {
    const search = String(value)
    phrasesOf(search)
    return { kind: 'search', term: { field, search } }
  }

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
  header: async (value, read, given) => {
    const [name, contains] = value as readonly [string, string?]
    const named: EmailCondition = { kind: 'search', term: { headerName: name } }
    if (isNameAlone([name, ...(contains === undefined ? [] : [contains])])) return named
    const where: EmailCondition = { kind: 'and', conditions: [named, ...given] }
    return { kind: 'among', emails: await emailsWithHeader(read, where, name, contains ?? '') }
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
  return (
    args['collapseThreads'] !== true &&
    !someCondition(filter, (name) => MUTABLE.includes(name)) &&
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
