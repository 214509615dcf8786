/** The queue of emails that users marked as junk or not junk, for the spam classifier. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { SpamMarkTable } from '../schema/spam-mark.ts'
import { statement } from '../statement.ts'

const put = insertRow('spam_mark', (query) =>
  query.onConflict((oc) =>
    oc.columns(['account', 'email']).doUpdateSet(({ ref }) => ({
      kind: ref('excluded.kind'),
      number: ref('excluded.number'),
    })),
  ),
)

/** A later mark of an email replaces an earlier one. */
export async function putSpamMark(
  unit: AccountUnit,
  { email, blob, kind }: Pick<SpamMarkTable, 'email' | 'blob' | 'kind'>,
): Promise<void> {
  await unit.sql.all(put, { account: unit.account, email, blob, kind, number: unit.nextObject() })
}

/** A mark with the hash of the email's content and the organization whose classifier learns it. */
export interface WaitingMark extends SpamMarkTable {
  readonly hash: Uint8Array
  readonly organization: number
}

const waiting = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('spam_mark as m')
    .innerJoin('account as a', 'a.id', 'm.account')
    .leftJoin('account_blob as b', (join) => join.onRef('b.account', '=', 'm.account').onRef('b.id', '=', 'm.blob'))
    .select(['m.account', 'm.email', 'm.blob', 'm.kind', 'm.number', 'b.hash', 'a.organization'])
    .orderBy('m.account')
    .orderBy('m.email')
    .limit(p('limit')),
)

/** At most `limit` marks; `hash` is null when the content does not exist any more. */
export function waitingSpamMarks(
  reader: Reader,
  limit: number,
): Promise<(Omit<WaitingMark, 'hash'> & { hash: Uint8Array | null })[]> {
  return reader.sql.all(waiting, { limit })
}

const take = statement<{ account: number; email: number; number: number }>()((db, p) =>
  db
    .deleteFrom('spam_mark')
    .where('account', '=', p('account'))
    .where('email', '=', p('email'))
    .where('number', '=', p('number'))
    .returning('email'),
)

/** Deletes a mark. @returns false: it was deleted already, or replaced */
export async function takeSpamMark(unit: AccountUnit, email: number, number: number): Promise<boolean> {
  return (await unit.sql.all(take, { account: unit.account, email, number })).length > 0
}
