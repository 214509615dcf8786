/** Conditions on emails, as SQL over columns, side tables and the search index. The JMAP filters are translated to them elsewhere. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import { searchIndexOf } from '../search/engines.ts'
import type { SearchTerm } from '../search/search-index.ts'

export type EmailCondition =
  | { readonly kind: 'and' | 'or' | 'not'; readonly conditions: readonly EmailCondition[] }
  | { readonly kind: 'inMailbox'; readonly mailbox: number }
  | { readonly kind: 'notOnlyIn'; readonly mailboxes: readonly number[] }
  | { readonly kind: 'receivedBefore' | 'receivedFrom'; readonly at: number }
  | { readonly kind: 'sizeFrom' | 'sizeBelow'; readonly size: number }
  | { readonly kind: 'keyword'; readonly keyword: string }
  | { readonly kind: 'threadKeyword'; readonly keyword: string; readonly quantity: 'all' | 'some' }
  | { readonly kind: 'hasAttachment'; readonly value: boolean }
  | { readonly kind: 'search'; readonly term: SearchTerm }
  /** One of these emails, for conditions that are decided by reading the messages. */
  | { readonly kind: 'among'; readonly emails: readonly number[] }
  | { readonly kind: 'never' }

export type EmailBuilder = ExpressionBuilder<Tables, 'email'>

/** The query that a condition is part of. */
export interface ConditionPlace {
  readonly eb: EmailBuilder
  readonly reader: Reader
  readonly account: number
  /** Looks up one email after the other in the search index (SearchIndex.matching). */
  readonly each: boolean
}

export function emailCondition(place: ConditionPlace, c: EmailCondition): Expression<SqlBool> {
  const { eb, reader, account } = place
  switch (c.kind) {
    case 'and':
      return eb.and(c.conditions.map((inner) => emailCondition(place, inner)))
    case 'or':
      return eb.or(c.conditions.map((inner) => emailCondition(place, inner)))
    case 'not':
      return eb.not(eb.or(c.conditions.map((inner) => emailCondition(place, inner))))
    case 'inMailbox':
      return eb.exists(inMailboxes(eb, account, [c.mailbox], 'in'))
    case 'notOnlyIn':
      return c.mailboxes.length === 0 ? eb.lit(true) : eb.exists(inMailboxes(eb, account, c.mailboxes, 'not in'))
    case 'receivedBefore':
      return eb('email.received_at', '<', c.at)
    case 'receivedFrom':
      return eb('email.received_at', '>=', c.at)
    case 'sizeFrom':
      return eb('email.size', '>=', c.size)
    case 'sizeBelow':
      return eb('email.size', '<', c.size)
    case 'keyword':
      return eb.exists(hasKeyword(eb, account, c.keyword))
    case 'threadKeyword':
      return threadKeyword(place, c.keyword, c.quantity)
    case 'hasAttachment':
      return eb('email.has_attachment', '=', c.value ? 1 : 0)
    case 'search':
      return searchIndexOf(reader.sql).matching(reader, account, c.term, place.each)
    case 'among':
      // Numbers are written into the text, since engines limit the number of parameters.
      return c.emails.length === 0
        ? sql<SqlBool>`1 = 0`
        : sql<SqlBool>`${sql.ref('email.id')} in (${sql.raw(c.emails.join(','))})`
    case 'never':
      return sql<SqlBool>`1 = 0`
  }
}

function inMailboxes(eb: EmailBuilder, account: number, mailboxes: readonly number[], operator: 'in' | 'not in') {
  return eb
    .selectFrom('email_mailbox as em')
    .select('em.email')
    .where('em.account', '=', account)
    .whereRef('em.email', '=', 'email.id')
    .whereRef('em.received_at', '=', 'email.received_at')
    .where('em.mailbox', operator, mailboxes)
}

export function hasKeyword(eb: EmailBuilder, account: number, keyword: string) {
  return eb
    .selectFrom('email_keyword as ek')
    .select('ek.email')
    .where('ek.account', '=', account)
    .where('ek.keyword', '=', keyword)
    .whereRef('ek.received_at', '=', 'email.received_at')
    .whereRef('ek.email', '=', 'email.id')
}

export function threadKeyword(
  { eb, reader, account }: Omit<ConditionPlace, 'each'>,
  keyword: string,
  quantity: 'all' | 'some',
): Expression<SqlBool> {
  // A thread may have as many emails as the account.
  const tagged = eb
    .selectFrom('email as other')
    .select('other.id')
    .where('other.account', '=', account)
    .whereRef('other.thread', '=', 'email.thread')
    .where(reader.sql.mayGoOn('other.id'))
  const has = (negated: boolean) =>
    tagged.where((inner) => {
      const found = inner.exists(
        inner
          .selectFrom('email_keyword as ek')
          .select('ek.email')
          .where('ek.account', '=', account)
          .where('ek.keyword', '=', keyword)
          .whereRef('ek.received_at', '=', 'other.received_at')
          .whereRef('ek.email', '=', 'other.id'),
      )
      return negated ? inner.not(found) : found
    })
  return quantity === 'some' ? eb.exists(has(false)) : eb.not(eb.exists(has(true)))
}
