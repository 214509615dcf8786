/** The change log: append, read since a state, trim. Each row has a sequence number of its own. Only unit-of-work.ts appends. */
import { sql } from 'kysely'
import { insertRows } from './insert-rows.ts'
import type { ChangeKind, Reader, Sql } from './ports.ts'
import { statement } from './statement.ts'

export interface StagedChange {
  readonly type: string
  readonly object: number
  readonly kind: ChangeKind
  readonly props: string | null
}

export interface ChangeRow {
  readonly seq: number
  readonly object: number
  readonly kind: ChangeKind
  readonly props: string | null
}

const insertChanges = insertRows('change')

/**
 * Appends the changes of a unit of work. Several changes of one object become one: created and destroyed cancel each other, destroyed
 * and created is an update, others are merged.
 * @param seq the account's newest sequence number
 * @returns the last number, and the last one of each type
 */
export async function appendChanges(
  sql: Sql,
  account: number,
  seq: number,
  at: number,
  staged: readonly StagedChange[],
): Promise<{ last: number; byType: Record<string, number> }> {
  let last = seq
  const byType: Record<string, number> = {}
  const rows = (staged.length > 1 ? mergeChanges(staged) : staged).map((change) => {
    last++
    byType[change.type] = last
    return { account, ...change, seq: last, at }
  })
  await insertChanges(sql, rows)
  return { last, byType }
}

function mergeChanges(staged: readonly StagedChange[]): StagedChange[] {
  const merged = new Map<string, StagedChange>()
  for (const change of staged) {
    const key = `${change.type} ${change.object}`
    const before = merged.get(key)
    if (!before) merged.set(key, change)
    else if (before.kind === 'c' && change.kind === 'd') merged.delete(key)
    else if (before.kind === 'd') merged.set(key, { ...change, kind: 'u', props: null })
    else if (before.kind === 'u') merged.set(key, { ...change, props: mergeProps(before.props, change.props) })
  }
  return [...merged.values()]
}

/** The names in either list; null (unknown) when one list is. */
export function mergeProps(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null
  return [...new Set([...a.split(','), ...b.split(',')])].join(',')
}

const raiseFloor = statement<{ account: number; type: string; floor: number }>()((db, p) =>
  db
    .insertInto('change_floor')
    .values({ account: p('account'), type: p('type'), floor: p('floor') })
    .onConflict((oc) => oc.columns(['account', 'type']).doUpdateSet({ floor: p('floor') })),
)

/** Stands for all types in `change_floor`: no state of the account before that floor can be gone on from (storage/backup). */
export const ALL_TYPES = '*'

/** Sets a state that no row of the log has: it is the floor, and no changes up to it can be listed. */
export async function setState(sql: Sql, account: number, type: string, state: number): Promise<void> {
  await sql.all(raiseFloor, { account, type, floor: state })
}

const newestSeq = statement<{ account: number; type: string }>()((db, p) =>
  db
    .selectFrom('change')
    .select('seq')
    .where('account', '=', p('account'))
    .where('type', '=', p('type'))
    .orderBy('seq', 'desc')
    .limit(1),
)

const floorOf = statement<{ account: number; type: string }>()((db, p) =>
  db
    .selectFrom('change_floor')
    .select('floor')
    .where('account', '=', p('account'))
    .where((eb) => eb.or([eb('type', '=', p('type')), eb('type', '=', sql.lit(ALL_TYPES))]))
    .orderBy('floor', 'desc'),
)

const seqOfAccount = statement<{ account: number }>()((db, p) =>
  db.selectFrom('account').select('seq').where('id', '=', p('account')),
)

/** The state of a type in an account: its highest sequence number; 0: it never changed. */
export async function stateOf(reader: Reader, account: number, type: string): Promise<number> {
  const [state] = await statesOf(reader, account, [type])
  return state!
}

/** The states of several types, in their order. */
export async function statesOf(reader: Reader, account: number, types: readonly string[]): Promise<number[]> {
  const known = await knownStates(reader, account)
  const states: number[] = []
  for (const type of types) {
    const state = known?.get(type) ?? (await lookUpState(reader, account, type))
    known?.set(type, state)
    states.push(state)
  }
  return states
}

/** The cached states; null in a unit of work, whose changes have no numbers yet. */
async function knownStates({ sql, memo }: Reader, account: number): Promise<Map<string, number> | null> {
  if (!memo) return null
  const known = memo.of(account)
  if (known) return known
  const [row] = await sql.all(seqOfAccount, { account })
  return row ? memo.note(account, row.seq) : null
}

async function lookUpState(reader: Reader, account: number, type: string): Promise<number> {
  const [row] = await reader.sql.all(newestSeq, { account, type })
  return row ? row.seq : floorAt(reader, account, type)
}

/** The oldest state since which changes can still be listed. */
export async function floorAt(reader: Reader, account: number, type: string): Promise<number> {
  const [row] = await reader.sql.all(floorOf, { account, type })
  return row ? row.floor : 0
}

const changesAfter = statement<{ account: number; type: string; since: number; limit: number }>()((db, p) =>
  db
    .selectFrom('change')
    .select(['seq', 'object', 'kind', 'props'])
    .where('account', '=', p('account'))
    .where('type', '=', p('type'))
    .where('seq', '>', p('since'))
    .orderBy('seq')
    .limit(p('limit')),
)

/** At most `limit` rows after a state, in order. */
export function changesSince(
  reader: Reader,
  account: number,
  type: string,
  since: number,
  limit: number,
): Promise<ChangeRow[]> {
  return reader.sql.all(changesAfter, { account, type, since, limit })
}

/** Deletes rows older than `before` (epoch ms) and raises the floors. Runs in a unit of work of the account. */
export async function trimChanges(reader: Reader, account: number, before: number): Promise<void> {
  const floors = await reader.sql.query((db) =>
    db
      .selectFrom('change')
      .select(['type', (eb) => eb.fn.max('seq').as('floor')])
      .where('account', '=', account)
      .where('at', '<', before)
      .groupBy('type'),
  )
  for (const { type, floor } of floors) {
    const seq = Number(floor)
    await setState(reader.sql, account, type, seq)
    await reader.sql.query((db) =>
      db.deleteFrom('change').where('account', '=', account).where('type', '=', type).where('seq', '<=', seq),
    )
  }
}
