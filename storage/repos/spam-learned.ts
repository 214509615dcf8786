/** What an organization's spam classifier has learned: counts per token, totals, and the learned contents. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { SpamLearnedTable } from '../schema/spam-learned.ts'
import type { SpamTokenTable } from '../schema/spam-token.ts'
import type { SpamTotalTable } from '../schema/spam-total.ts'
import { statement } from '../statement.ts'
import { slicesOf } from './slices.ts'

export type SpamKind = SpamLearnedTable['kind']

const totals = statement<{ account: number }>()((db, p) =>
  db.selectFrom('spam_total').selectAll().where('account', '=', p('account')),
)

export async function spamTotals(reader: Reader, organization: number): Promise<SpamTotalTable> {
  const [row] = await reader.sql.all(totals, { account: organization })
  return row ?? { account: organization, spam: 0, ham: 0, version: 0 }
}

const saveTotals = insertRow('spam_total', (query) =>
  query.onConflict((oc) =>
    oc.column('account').doUpdateSet(({ ref }) => ({
      spam: ref('excluded.spam'),
      ham: ref('excluded.ham'),
      version: ref('excluded.version'),
    })),
  ),
)

export async function saveSpamTotals(unit: AccountUnit, { spam, ham, version }: Omit<SpamTotalTable, 'account'>) {
  await unit.sql.all(saveTotals, { account: unit.account, spam, ham, version })
}

const tokensAfter = statement<{ account: number; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('spam_token')
    .selectAll()
    .where('account', '=', p('account'))
    .where('token', '>', p('after'))
    .orderBy('token')
    .limit(p('limit')),
)

/** A page of an organization's tokens in ascending order. */
export function spamTokensAfter(
  reader: Reader,
  organization: number,
  after: number,
  limit: number,
): Promise<SpamTokenTable[]> {
  return reader.sql.all(tokensAfter, { account: organization, after, limit })
}

/** Adds one to the count of each token for a kind. */
export async function countTokens(
  unit: AccountUnit,
  tokens: readonly number[],
  kind: SpamKind,
  day: number,
): Promise<void> {
  for (const slice of slicesOf(tokens)) {
    const rows = slice.map((token) => ({
      account: unit.account,
      token,
      spam: Number(kind === 'spam'),
      ham: Number(kind === 'ham'),
      day,
    }))
    await unit.sql.query((db) =>
      db
        .insertInto('spam_token')
        .values(rows)
        .onConflict((oc) =>
          oc.columns(['account', 'token']).doUpdateSet((eb) => ({
            spam: eb('spam_token.spam', '+', eb.ref('excluded.spam')),
            ham: eb('spam_token.ham', '+', eb.ref('excluded.ham')),
            day: eb.ref('excluded.day'),
          })),
        ),
    )
  }
}

/** Undoes `countTokens` for tokens that were not forgotten meanwhile. */
export async function uncountTokens(unit: AccountUnit, tokens: readonly number[], kind: SpamKind): Promise<void> {
  for (const slice of slicesOf(tokens)) {
    await unit.sql.query((db) =>
      db
        .updateTable('spam_token')
        .set((eb) => ({ [kind]: eb(kind, '-', 1) }))
        .where('account', '=', unit.account)
        .where('token', 'in', slice)
        .where(kind, '>', 0),
    )
  }
}

/** Deletes tokens and contents that were learned before a day, and the oldest tokens beyond `keep`. @returns whether it deleted tokens */
export async function forgetTokens(unit: AccountUnit, before: number, keep: number): Promise<boolean> {
  const { account } = unit
  await unit.sql.query((db) => db.deleteFrom('spam_learned').where('account', '=', account).where('day', '<', before))
  const old = await unit.sql.query((db) =>
    db.deleteFrom('spam_token').where('account', '=', account).where('day', '<', before).returning('token'),
  )
  const [row] = await unit.sql.query((db) =>
    db
      .selectFrom('spam_token')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account', '=', account),
  )
  const excess = Number(row?.count ?? 0) - keep
  if (excess <= 0) return old.length > 0
  await unit.sql.query((db) =>
    db
      .deleteFrom('spam_token')
      .where('account', '=', account)
      .where('token', 'in', (eb) =>
        eb
          .selectFrom('spam_token')
          .select('token')
          .where('account', '=', account)
          .orderBy('day')
          .orderBy((order) => order('spam', '+', order.ref('ham')))
          .orderBy('token')
          .limit(excess),
      ),
  )
  return true
}

const learned = statement<{ account: number; hash: Uint8Array }>()((db, p) =>
  db.selectFrom('spam_learned').select('kind').where('account', '=', p('account')).where('hash', '=', p('hash')),
)

/** The kind that a content was learned as; null: it was not learned. */
export async function learnedAs(reader: Reader, organization: number, hash: Uint8Array): Promise<SpamKind | null> {
  const [row] = await reader.sql.all(learned, { account: organization, hash })
  return row?.kind ?? null
}

export async function keepLearned(
  unit: AccountUnit,
  hash: Uint8Array,
  kind: SpamKind | null,
  day: number,
): Promise<void> {
  await unit.sql.query((db) =>
    db.deleteFrom('spam_learned').where('account', '=', unit.account).where('hash', '=', hash),
  )
  if (kind === null) return
  await unit.sql.query((db) => db.insertInto('spam_learned').values({ account: unit.account, hash, kind, day }))
}
