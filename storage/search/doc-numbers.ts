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

/** Numbers from a time on of which the one after the last taken is given. */
const NEAR = 64
/** Attempts in each width of numbers after these. */
const ATTEMPTS = 4

const lastBelow = statement<{ account: number; from: number; below: number }>()((db, p) =>
  db
    .selectFrom('email_fts_doc')
    .select('doc')
    .where('account', '=', p('account'))
    .where('doc', '>=', p('from'))
    .where('doc', '<', p('below'))
    .orderBy('doc', 'desc')
    .limit(1),
)

/** A free number. Those of a burst stay near its time: a search for the newest emails reads all that could be newer. */
export async function freeDoc(unit: AccountUnit, email: number, receivedAt: number): Promise<number> {
  const { account, sql } = unit
  if (account > ACCOUNT_MAX)
    throw new Failure('configuration', `SQLite holds at most ${ACCOUNT_MAX} accounts: use PostgreSQL`)
  const at = Math.min(Math.max(receivedAt, 0), TIME_MAX)
  const [last] = await sql.all(lastBelow, { account, from: at, below: at + NEAR })
  if (last === undefined) return at
  if (last.doc + 1 < at + NEAR) return last.doc + 1
  for (let attempt = 0; ; attempt++) {
    const doc = at + NEAR + shift(email, attempt)
    if ((await sql.all(lastBelow, { account, from: doc, below: doc + 1 })).length === 0) return doc
  }
}

/** Each width is four times the one before, up to 49 days. */
function shift(email: number, attempt: number): number {
  const width = NEAR * 4 ** Math.min(Math.floor(attempt / ATTEMPTS), 13)
  return (Math.imul(email + attempt, SCATTER) >>> 0) % width
}

/** The latest possible time of emails whose numbers are below `doc`. */
export function latestBelow(doc: number): number {
  return doc >= TIME_MAX ? Number.POSITIVE_INFINITY : doc
}
