/**
 * Numbers of FTS5 rows in the order of time: 21 bits of account, 42 bits of milliseconds. FTS5 lists matches in the order of these
 * numbers, so that the newest come first and the others need not be read. If several emails have the same millisecond, all but one get
 * a slightly later number: a number is never below its email's time.
 */
import { Failure } from '../../server/base/errors.ts'
import type { AccountUnit } from '../ports.ts'
import { statement } from '../statement.ts'

export const DOC_BITS = 42
export const DOC_MASK = 2 ** DOC_BITS - 1
const ACCOUNT_MAX = 2 ** 21 - 1
/** The year 2109, less the room for emails of the same time. Later times count as this one. */
const TIME_MAX = 2 ** DOC_BITS - 2 ** 36
/** 2^32 divided by the golden ratio: it scatters neighbouring numbers. */
const SCATTER = 0x9e3779b1

const taken = statement<{ account: number; doc: number }>()((db, p) =>
  db.selectFrom('email_fts_doc').select('doc').where('account', '=', p('account')).where('doc', '=', p('doc')),
)

/** A free number. */
export async function freeDoc(unit: AccountUnit, email: number, receivedAt: number): Promise<number> {
  if (unit.account > ACCOUNT_MAX)
    throw new Failure('configuration', `SQLite holds at most ${ACCOUNT_MAX} accounts: use PostgreSQL`)
  const at = Math.min(Math.max(receivedAt, 0), TIME_MAX)
  for (let attempt = 0; ; attempt++) {
    const doc = at + shift(email, attempt)
    if ((await unit.sql.all(taken, { account: unit.account, doc })).length === 0) return doc
  }
}

/**
 * Four attempts in each width, up to 49 days. Each width is four times the one before: the numbers of a burst stay near its time, as a
 * search for the newest emails reads all that could be newer.
 */
function shift(email: number, attempt: number): number {
  const width = 4 ** Math.min(Math.ceil(attempt / 4), 16)
  return (Math.imul(email + attempt, SCATTER) >>> 0) % width
}

/** The latest possible time of emails whose numbers are below `doc`. */
export function latestBelow(doc: number): number {
  return doc >= TIME_MAX ? Number.POSITIVE_INFINITY : doc
}
