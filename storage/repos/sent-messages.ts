/** Messages that an organization has sent from all its mailboxes, newest first. Each message is listed by its newest submission. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import type { SubmissionTable } from '../schema/tables.ts'

/** Place of a submission in the list. */
export type SentPlace = Pick<SubmissionTable, 'created_at' | 'account' | 'id'>

export interface SentQuery {
  readonly organization: number
  /** Only from these mailboxes; null: from all. */
  readonly accounts: readonly number[] | null
  /** `pending`: scheduled for later. null: any. */
  readonly undoStatus: 'pending' | 'canceled' | null
  readonly tag: { readonly name: string; readonly value: string } | null
  /** Only submissions after this place. */
  readonly after: SentPlace | null
}

type Builder = ExpressionBuilder<Tables, 'submission'>

/** At most `limit` places, in order. */
export function selectSent(reader: Reader, query: SentQuery, limit: number): Promise<SentPlace[]> {
  const { organization, accounts, undoStatus, tag, after } = query
  return reader.sql.query((db) =>
    db
      .selectFrom('submission')
      .select(['created_at', 'account', 'id'])
      .where('organization', '=', organization)
      // Notices and automatic replies of the server have the null sender.
      .where('mail_from', '<>', '')
      .where(isThere)
      .where(reader.sql.mayGoOn('submission.id'))
      .where(isNewest)
      .$if(accounts !== null, (q) => q.where((eb) => amongAccounts(eb, accounts!)))
      // A literal, so that the engines see that the partial index applies.
      .$if(undoStatus !== null, (q) =>
        q.where(sql.ref('undo_status'), '<>', sql.lit('final')).where('undo_status', '=', undoStatus!),
      )
      .$if(tag !== null, (q) => q.where((eb) => hasTag(eb, tag!)))
      .$if(after !== null, (q) => q.where((eb) => comesAfter(eb, after!)))
      .orderBy('created_at', 'desc')
      .orderBy('account', 'desc')
      .orderBy('id', 'desc')
      .limit(limit),
  )
}

/** Deleted mailboxes are kept for a while, but not shown. */
function isThere({ exists, selectFrom }: Builder): Expression<SqlBool> {
  return exists(
    selectFrom('account')
      .select('account.id')
      .whereRef('account.id', '=', 'submission.account')
      .where('account.deleted_at', 'is', null),
  )
}

/** A message may be sent several times. It is listed once, by its last submission. */
function isNewest({ not, exists, selectFrom }: Builder): Expression<SqlBool> {
  return not(
    exists(
      selectFrom('submission as later')
        .select('later.id')
        .whereRef('later.account', '=', 'submission.account')
        .whereRef('later.email', '=', 'submission.email')
        .whereRef('later.id', '>', 'submission.id'),
    ),
  )
}

function amongAccounts(eb: Builder, accounts: readonly number[]): Expression<SqlBool> {
  // Numbers are written into the text, since engines limit the number of parameters.
  return accounts.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`${eb.ref('account')} in (${sql.raw(accounts.join(','))})`
}

function hasTag({ exists, selectFrom }: Builder, { name, value }: NonNullable<SentQuery['tag']>): Expression<SqlBool> {
  return exists(
    selectFrom('submission_tag as tag')
      .select('tag.name')
      .whereRef('tag.organization', '=', 'submission.organization')
      .where('tag.name', '=', name)
      .where('tag.value', '=', value)
      .whereRef('tag.created_at', '=', 'submission.created_at')
      .whereRef('tag.account', '=', 'submission.account')
      .whereRef('tag.submission', '=', 'submission.id'),
  )
}

function comesAfter(eb: Builder, { created_at, account, id }: SentPlace): Expression<SqlBool> {
  return sql<SqlBool>`(${eb.ref('created_at')}, ${eb.ref('account')}, ${eb.ref('id')}) < (${created_at}, ${account}, ${id})`
}
