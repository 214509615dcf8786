/**
 * Numbers of FTS5 rows that stand in the order of time: 21 bits of account, 42 bits of milliseconds. FTS5 lists what it finds in the
 * order of these numbers, so that the newest come first without looking at the others. Of several emails of one millisecond all but
 * one move a little into the future: a number is never below its email's time.
 */
import { Failure } from '../../server/base/errors.ts'
import type { AccountUnit } from '../ports.ts'
import { statement } from '../statement.ts'

export const DOC_BITS = 42
export const DOC_MASK = 2 ** DOC_BITS - 1
const ACCOUNT_MAX = 2 ** 21 - 1
/** The year 2109, less the room that emails of one moment need: later times share this one. */
const TIME_MAX = 2 ** DOC_BITS - 2 ** 36
/** Golden ratio: neighbours are sent far apart. */
const SCATTER = 0x9e3779b1

const taken = statement<{ account: number; doc: number }>()((db, p) =>
  db.selectFrom('email_fts_doc').select('doc').where('account', '=', p('account')).where('doc', '=', p('doc')),
)

/** A number that is free. */
export async function freeDoc(unit: AccountUnit, email: number, receivedAt: number): Promise<number> {
  if (unit.account > ACCOUNT_MAX)
    throw new Failure('configuration', `SQLite holds at most ${ACCOUNT_MAX} accounts: use PostgreSQL`)
  const at = Math.min(Math.max(receivedAt, 0), TIME_MAX)
  for (let attempt = 0; ; attempt++) {
    const doc = at + shift(email, attempt)
    if ((await unit.sql.all(taken, { account: unit.account, doc })).length === 0) return doc
  }
}

/** Two tries in each width; each width is sixteen times the one before, up to 49 days. */
function shift(email: number, attempt: number): number {
  const width = 16 ** Math.min(Math.ceil(attempt / 2), 8)
  return (Math.imul(email + attempt, SCATTER) >>> 0) % width
}

/** Emails whose numbers are below `doc` are of this time or before. */
export function latestBelow(doc: number): number {
  return doc >= TIME_MAX ? Number.POSITIVE_INFINITY : doc
}
