/** Messages that an organization has sent from all its mailboxes, newest first. Each message is listed by its newest submission. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import type { SubmissionTable } from '../schema/tables.ts'

/** Place of a submission in the list. */
export type SentPlace = Pick<SubmissionTable, 'created_at' | 'account' | 'id'>

/** A submission in the list, and its email. */
export type SentRow = SentPlace & Pick<SubmissionTable, 'email'>

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

/** Where the place of a submission stands: both have an index in the order of the list. */
const PLACES = {
  submission: { at: sql.ref('submission.created_at'), of: sql.ref('submission.account'), id: sql.ref('submission.id') },
  recipient: {
    at: sql.ref('recipient.created_at'),
    of: sql.ref('recipient.account'),
    id: sql.ref('recipient.submission'),
  },
}

/** At most `limit` places, in order. With a recipient only its submissions are read, otherwise those of the organization. */
export async function selectSent(reader: Reader, query: SentQuery, limit: number): Promise<SentRow[]> {
  const { organization, accounts, undoStatus, tag, recipient, from, before, after } = query
  const { at, of, id } = PLACES[recipient === null ? 'submission' : 'recipient']
  return reader.sql.query((db) =>
    db
      .selectFrom('submission')
      .select(['submission.created_at', 'submission.account', 'submission.id', 'submission.email'])
      .$if(recipient !== null, (q) =>
        q
          .innerJoin('submission_recipient as recipient', (join) =>
            join
              .onRef('recipient.account', '=', 'submission.account')
              .onRef('recipient.submission', '=', 'submission.id'),
          )
          .where('recipient.organization', '=', organization)
          .where(sql<SqlBool>`lower(recipient.address) = ${recipient!.toLowerCase()}`)
          .where(({ not, exists, selectFrom }) =>
            // A message may name the address twice.
            not(
              exists(
                selectFrom('submission_recipient as earlier')
                  .select('earlier.position')
                  .whereRef('earlier.account', '=', 'recipient.account')
                  .whereRef('earlier.submission', '=', 'recipient.submission')
                  .whereRef('earlier.position', '<', 'recipient.position')
                  .where(sql<SqlBool>`lower(earlier.address) = lower(recipient.address)`),
              ),
            ),
          ),
      )
      .$if(recipient === null, (q) => q.where('submission.organization', '=', organization))
      // Notices and automatic replies of the server have the null sender.
      .where('submission.mail_from', '<>', '')
      .where(isThere)
      .where(reader.sql.mayGoOn('submission.id'))
      .where(isNewest)
      .$if(accounts !== null, (q) => q.where(amongAccounts(of, accounts!)))
      // A literal, so that the engines see that the partial index applies.
      .$if(undoStatus !== null, (q) =>
        q
          .where(sql.ref('submission.undo_status'), '<>', sql.lit('final'))
          .where('submission.undo_status', '=', undoStatus!),
      )
      .$if(from !== null, (q) => q.where(sql<SqlBool>`${at} >= ${from}`))
      .$if(before !== null, (q) => q.where(sql<SqlBool>`${at} < ${before}`))
      .$if(tag !== null, (q) => q.where((eb) => hasTag(eb, tag!)))
      .$if(after !== null, (q) =>
        q.where(sql<SqlBool>`(${at}, ${of}, ${id}) < (${after!.created_at}, ${after!.account}, ${after!.id})`),
      )
      .orderBy(at, 'desc')
      .orderBy(of, 'desc')
      .orderBy(id, 'desc')
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

function amongAccounts(account: Expression<unknown>, accounts: readonly number[]): Expression<SqlBool> {
  // Numbers are written into the text, since engines limit the number of parameters.
  return accounts.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${account} in (${sql.raw(accounts.join(','))})`
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
