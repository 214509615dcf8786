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
  /** Only what went to this address, in any case. */
  readonly recipient: string | null
  /** Epoch ms: only submissions of that time or later, and before that time; null: any. */
  readonly from: number | null
  readonly before: number | null
  /** Only submissions after this place. */
  readonly after: SentPlace | null
}

type Builder = ExpressionBuilder<Tables, 'submission'>

/** Submissions of an address that are looked up one by one; with more of them, reading the list finds a page soon. */
const RARE_RECIPIENT_MAX = 2_000

/** At most `limit` places, in order. @param rareMax replaces RARE_RECIPIENT_MAX */
export async function selectSent(
  reader: Reader,
  query: SentQuery,
  limit: number,
  rareMax = RARE_RECIPIENT_MAX,
): Promise<SentPlace[]> {
  const { organization, accounts, undoStatus, tag, recipient, from, before, after } = query
  const rare = recipient === null ? null : await rareRecipient(reader, organization, recipient, rareMax)
  if (rare?.length === 0) return []
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
      .$if(from !== null, (q) => q.where('created_at', '>=', from!))
      .$if(before !== null, (q) => q.where('created_at', '<', before!))
      .$if(recipient !== null && rare === null, (q) => q.where((eb) => wentTo(eb, recipient!)))
      .$if(rare !== null, (q) => q.where(isAmong(rare!)))
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

/** Keys of an organization's submissions to an address; null: there are too many to name. */
async function rareRecipient(
  reader: Reader,
  organization: number,
  address: string,
  most: number,
): Promise<Pick<SentPlace, 'account' | 'id'>[] | null> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('submission_recipient as recipient')
      .innerJoin('submission', (join) =>
        join.onRef('submission.account', '=', 'recipient.account').onRef('submission.id', '=', 'recipient.submission'),
      )
      .select(['submission.account', 'submission.id'])
      .where(sql<SqlBool>`lower(recipient.address) = ${address.toLowerCase()}`)
      .where('submission.organization', '=', organization)
      .limit(most + 1),
  )
  return rows.length > most ? null : rows
}

function isAmong(keys: readonly Pick<SentPlace, 'account' | 'id'>[]): Expression<SqlBool> {
  // Numbers are written into the text, since engines limit the number of parameters.
  const list = keys.map(({ account, id }) => `(${account},${id})`).join(',')
  return sql<SqlBool>`(submission.account, submission.id) in (values ${sql.raw(list)})`
}

function wentTo({ exists, selectFrom }: Builder, address: string): Expression<SqlBool> {
  return exists(
    selectFrom('submission_recipient as recipient')
      .select('recipient.position')
      .whereRef('recipient.account', '=', 'submission.account')
      .whereRef('recipient.submission', '=', 'submission.id')
      .where(sql<SqlBool>`lower(recipient.address) = ${address.toLowerCase()}`),
  )
}

function comesAfter(eb: Builder, { created_at, account, id }: SentPlace): Expression<SqlBool> {
  return sql<SqlBool>`(${eb.ref('created_at')}, ${eb.ref('account')}, ${eb.ref('id')}) < (${created_at}, ${account}, ${id})`
}
