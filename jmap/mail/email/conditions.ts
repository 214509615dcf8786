/** The meaning of the filters and sorts of Email/query (RFC 8621 4.4.1, 4.4.2), and what they depend on. */

import { isKeyOf } from '../../../server/base/known-names.ts'
import type { EmailCondition } from '../../../storage/repos/email-condition.ts'
import type { EmailQuery, EmailSort } from '../../../storage/repos/email-sort.ts'
import type { SearchField } from '../../../storage/search/words.ts'
import { isKeyword } from '../../message/keywords.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { epochOf } from '../../protocol/primitives.ts'
import type { Comparator, ConditionOf, FilterOf, SortOf } from '../../type/derived.ts'
import { hasCondition, isOperator, mapConditions, type OfConditions } from '../../type/filter.ts'
import type { QueryRequest, ReadContext } from '../../type/handlers.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import { phrasesOf } from '../search/phrases.ts'
import type { Email } from './email.type.ts'
import { emailsWithHeader, isNameAlone } from './header-filter.ts'

type Conditions = ConditionOf<typeof Email>
type EmailFilter = FilterOf<typeof Email>

/** null: all emails. @throws MethodError unsupportedFilter */
export async function conditionOf(read: ReadContext, filter: EmailFilter | null): Promise<EmailCondition | null> {
  const asked = filter && withoutEmptyTexts(filter)
  return asked && toCondition(read, asked)
}

/** Properties whose value is searched as words. */
const TEXTS = ['text', 'from', 'to', 'cc', 'bcc', 'subject', 'body', 'attachmentName'] as const

/** A text without a word is left out, under any operator (decision 0008). null: no condition is left. */
function withoutEmptyTexts(filter: EmailFilter): EmailFilter | null {
  if (isOperator(filter)) {
    const conditions = filter.conditions.flatMap((inner) => withoutEmptyTexts(inner) ?? [])
    return conditions.length === 0 && filter.conditions.length > 0 ? null : { ...filter, conditions }
  }
  const entries = Object.entries(filter)
  const kept = entries.filter(
    ([name, value]) => !TEXTS.some((text) => text === name) || phrasesOf(String(value)).length > 0,
  )
  return kept.length === 0 && entries.length > 0 ? null : Object.fromEntries(kept)
}

/** @param given conditions that hold for all that the filter is asked about */
async function toCondition(
  read: ReadContext,
  filter: EmailFilter,
  given: readonly EmailCondition[] = [],
): Promise<EmailCondition> {
  if (!isOperator(filter) || filter.operator === 'AND') return all(read, together(filter), given)
  const conditions: EmailCondition[] = []
  for (const inner of filter.conditions) conditions.push(await toCondition(read, inner, given))
  return { kind: filter.operator === 'OR' ? 'or' : 'not', conditions }
}

/** RFC 8621 4.4.1: each property is a separate condition. Returns the conditions that must all hold, down to the next OR or NOT. */
function together(filter: EmailFilter): EmailFilter[] {
  if (isOperator(filter)) return filter.operator === 'AND' ? filter.conditions.flatMap(together) : [filter]
  return Object.entries(filter).map(([name, value]) => ({ [name]: value }))
}

/** Conditions that read messages come last, so that they read only messages that pass the others. */
async function all(
  read: ReadContext,
  filters: readonly EmailFilter[],
  given: readonly EmailCondition[],
): Promise<EmailCondition> {
  const parts: EmailCondition[] = []
  const single = async (filter: EmailFilter, more: readonly EmailCondition[]) =>
    isOperator(filter) ? toCondition(read, filter, more) : mapConditions(filter, conditionsFor(read, more))[0]!
  for (const filter of filters.filter((inner) => !readsMessages(inner))) parts.push(await single(filter, given))
  for (const filter of filters.filter(readsMessages)) parts.push(await single(filter, [...given, ...parts]))
  return parts.length === 1 ? parts[0]! : { kind: 'and', conditions: parts }
}

function readsMessages(filter: EmailFilter): boolean {
  if (isOperator(filter)) return filter.conditions.some(readsMessages)
  return filter.header !== undefined && !isNameAlone(filter.header)
}

/** Whether a filter uses the search index. */
export function asksIndex(filter: EmailFilter | null): boolean {
  return hasCondition(filter, [...TEXTS, 'header'])
}

function keywordCondition(text: string, make: (keyword: string) => EmailCondition): EmailCondition {
  if (!isKeyword(text)) throw invalidArguments(`'${text.slice(0, 100)}' is not a keyword.`, ['filter'])
  return make(text.toLowerCase())
}

function not(condition: EmailCondition): EmailCondition {
  return { kind: 'not', conditions: [condition] }
}

const searchIn =
  (field: SearchField | 'text') =>
  (search: string): EmailCondition => ({ kind: 'search', term: { field, search } })

/** RFC 8621 4.4.1, one line each. */
function conditionsFor(
  read: ReadContext,
  given: readonly EmailCondition[],
): OfConditions<Conditions, EmailCondition | Promise<EmailCondition>> {
  const { method } = read
  const inThread = (quantity: 'all' | 'some') => (text: string) =>
    keywordCondition(text, (keyword) => ({ kind: 'threadKeyword', keyword, quantity }))
  return {
    inMailbox: (id) => {
      const mailbox = method.number(Mailbox, id)
      return mailbox === null ? { kind: 'never' } : { kind: 'inMailbox', mailbox }
    },
    inMailboxOtherThan: (ids) => ({
      kind: 'notOnlyIn',
      mailboxes: ids.flatMap((id) => method.number(Mailbox, id) ?? []),
    }),
    before: (date) => ({ kind: 'receivedBefore', at: epochOf(date) }),
    after: (date) => ({ kind: 'receivedFrom', at: epochOf(date) }),
    minSize: (size) => ({ kind: 'sizeFrom', size }),
    maxSize: (size) => ({ kind: 'sizeBelow', size }),
    allInThreadHaveKeyword: inThread('all'),
    someInThreadHaveKeyword: inThread('some'),
    noneInThreadHaveKeyword: (text) => not(inThread('some')(text)),
    hasKeyword: (text) => keywordCondition(text, (keyword) => ({ kind: 'keyword', keyword })),
    notKeyword: (text) => keywordCondition(text, (keyword) => not({ kind: 'keyword', keyword })),
    hasAttachment: (value) => ({ kind: 'hasAttachment', value }),
    text: searchIn('text'),
    from: searchIn('from'),
    to: searchIn('to'),
    cc: searchIn('cc'),
    bcc: searchIn('bcc'),
    subject: searchIn('subject'),
    body: searchIn('body'),
    attachmentName: searchIn('attachment'),
    header: async (header) => {
      const [name, contains = ''] = header
      const named: EmailCondition = { kind: 'search', term: { headerName: name } }
      if (isNameAlone(header)) return named
      const where: EmailCondition = { kind: 'and', conditions: [named, ...given] }
      return { kind: 'among', emails: await emailsWithHeader(read, where, name, contains) }
    },
  }
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
export function toSort({ property, isAscending: ascending, keyword }: Comparator<SortOf<typeof Email>>): EmailSort {
  if (isKeyOf(COLUMN_OF, property)) return { column: COLUMN_OF[property], ascending }
  if (typeof keyword !== 'string' || !isKeyword(keyword))
    throw invalidArguments(`The sort '${property}' needs a keyword.`, ['sort'])
  const scope =
    property === 'hasKeyword' ? 'email' : property === 'allInThreadHaveKeyword' ? 'allInThread' : 'someInThread'
  return { keyword: keyword.toLowerCase(), scope, ascending }
}

/** Conditions and sorts that depend on mutable properties, or on other emails of the thread. */
const KEYWORDS = ['hasKeyword', 'allInThreadHaveKeyword', 'someInThreadHaveKeyword'] as const
const MUTABLE = ['inMailbox', 'inMailboxOtherThan', 'notKeyword', 'noneInThreadHaveKeyword', ...KEYWORDS] as const

/** Whether an email keeps its position in the list until it is destroyed. */
export function isImmutableQuery({ filter, sort, args }: QueryRequest<typeof Email>): boolean {
  const isMutable = (property: string) => KEYWORDS.some((name) => name === property)
  return !args.collapseThreads && !hasCondition(filter, MUTABLE) && !sort.some(({ property }) => isMutable(property))
}

/** Whether a change of one email can move other emails of its thread. */
export function dependsOnThreads(query: EmailQuery): boolean {
  const inCondition = (c: EmailCondition): boolean =>
    'conditions' in c ? c.conditions.some(inCondition) : c.kind === 'threadKeyword'
  return (
    (query.where !== null && inCondition(query.where)) ||
    query.sort.some((sort) => 'keyword' in sort && sort.scope !== 'email')
  )
}
