import { sql } from 'kysely'
import { ALL_TYPES } from '../change-log.ts'
import type { Reader } from '../ports.ts'
import { unionAll } from '../raw-query.ts'
import { SINGLETON } from '../repos/objects.ts'
import type { Table } from '../schema/table.ts'
import type { Fault } from './fault.ts'
import { notIn, type ObjectTypes } from './object-types.ts'

type Existence = ReadonlyMap<string, 'c' | 'u' | 'd'>

export interface Objects {
  readonly types: ObjectTypes
  /** The tables that have rows. */
  readonly tables: readonly Table[]
}

/** No sequence number is above the account's or used twice; the history of each object is created, updated ..., destroyed. */
export async function checkChangeLog(reader: Reader, account: number, objects: Objects): Promise<Fault[]> {
  const { types } = objects
  const faults: Fault[] = []
  const fault = (detail: string) => faults.push({ account, kind: 'change-log', detail })
  const [row] = await reader.sql.query((db) => db.selectFrom('account').select('seq').where('id', '=', account))
  const floors = await reader.sql.query((db) =>
    db.selectFrom('change_floor').select('type').where('account', '=', account),
  )
  const floored = new Set(floors.map(({ type }) => type))
  const trimmed = { has: (type: string) => floored.has(type) || floored.has(ALL_TYPES) }
  const changes = await reader.sql.query((db) =>
    db.selectFrom('change').selectAll().where('account', '=', account).orderBy('seq'),
  )
  const seen = new Set<number>()
  const state = new Map<string, 'c' | 'u' | 'd'>()
  for (const { seq, type, object, kind } of changes) {
    if (seen.has(seq)) fault(`sequence number ${seq} is used twice`)
    seen.add(seq)
    if (seq > (row?.seq ?? 0)) fault(`sequence number ${seq} is above the account's ${row?.seq}`)
    if (object === SINGLETON || types.computed.includes(type)) continue
    const key = `${type} ${object}`
    const before = state.get(key)
    if (kind === 'c' && before !== undefined) fault(`${key} is created again at ${seq}`)
    if (kind !== 'c' && before === undefined && !trimmed.has(type))
      fault(`${key} changes at ${seq}, but was never created`)
    if (before === 'd') fault(`${key} changes at ${seq} after it was destroyed`)
    state.set(key, kind)
  }
  faults.push(...(await checkExistence(reader, account, state, { trimmed, ...objects })))
  return faults
}

/** The objects that exist are those that the log created and did not destroy. */
async function checkExistence(
  reader: Reader,
  account: number,
  state: Existence,
  { trimmed, ...objects }: { readonly trimmed: Pick<ReadonlySet<string>, 'has'> } & Objects,
): Promise<Fault[]> {
  const faults: Fault[] = []
  const fault = (detail: string) => faults.push({ account, kind: 'change-log', detail })
  const present = await presentObjects(reader, account, objects)
  for (const key of present) {
    const type = key.slice(0, key.indexOf(' '))
    if (state.get(key) === undefined && !trimmed.has(type)) fault(`${key} exists, but is not in the log`)
    if (state.get(key) === 'd') fault(`${key} exists, but the log destroyed it`)
  }
  for (const [key, kind] of state)
    if (kind !== 'd' && !present.has(key)) fault(`${key} is in the log, but does not exist`)
  return faults
}

/** `<type> <number>` of each object of an account. */
async function presentObjects(reader: Reader, account: number, { types, tables }: Objects): Promise<Set<string>> {
  type Row = { type: string; id: number }
  const queries = tables.flatMap(({ name, objectType, owner }) =>
    objectType === undefined || owner === null
      ? []
      : sql<Row>`
        select ${sql.lit(objectType)} as type, id from ${sql.table(name)}
        where ${sql.ref(owner)} = ${account} and id is not null`,
  )
  const others = sql<Row>`
    select type, id from object t where account = ${account} and id <> ${SINGLETON} ${notIn(types.hidden)}`
  const rows = await unionAll(reader.sql, [...queries, others])
  return new Set(rows.map(({ type, id }) => `${type} ${id}`))
}
