import type { Reader } from '../ports.ts'
import type { Fault } from './check-store.ts'

/** Each account has one from the start; a Quota is no row of its own. */
const NEVER_CREATED = ['VacationResponse', 'InboxRules', 'Quota', 'Reputation']

/** No sequence number above the account's or used twice; every object's history is created, updated ..., destroyed. */
export async function checkChangeLog(reader: Reader, account: number): Promise<Fault[]> {
  const faults: Fault[] = []
  const fault = (detail: string) => faults.push({ account, kind: 'change-log', detail })
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('account').select(['seq', 'next_object']).where('id', '=', account),
  )
  const floors = await reader.sql.query((db) =>
    db.selectFrom('change_floor').selectAll().where('account', '=', account),
  )
  const floorOf = new Map(floors.map(({ type, floor }) => [type, floor]))
  const changes = await reader.sql.query((db) =>
    db.selectFrom('change').selectAll().where('account', '=', account).orderBy('seq'),
  )
  const seen = new Set<number>()
  const state = new Map<string, 'c' | 'u' | 'd'>()
  for (const { seq, type, object, kind } of changes) {
    if (seen.has(seq)) fault(`sequence number ${seq} is used twice`)
    seen.add(seq)
    if (seq > (row?.seq ?? 0)) fault(`sequence number ${seq} is above the account's ${row?.seq}`)
    if (NEVER_CREATED.includes(type)) continue
    const key = `${type} ${object}`
    const before = state.get(key)
    const trimmed = floorOf.has(type)
    if (kind === 'c' && before !== undefined) fault(`${key} is created again at ${seq}`)
    if (kind !== 'c' && before === undefined && !trimmed) fault(`${key} changes at ${seq} without having been created`)
    if (before === 'd') fault(`${key} changes at ${seq} after it was destroyed`)
    state.set(key, kind)
  }
  faults.push(...(await checkExistence(reader, account, state, floorOf)))
  return faults
}

/** What the log says is there, is there; what it says is gone, is gone. */
async function checkExistence(
  reader: Reader,
  account: number,
  state: ReadonlyMap<string, 'c' | 'u' | 'd'>,
  floorOf: ReadonlyMap<string, number>,
): Promise<Fault[]> {
  const faults: Fault[] = []
  const present = new Set<string>()
  for (const [type, table] of [
    ['Email', 'email'],
    ['Mailbox', 'mailbox'],
    ['Thread', 'thread'],
    ['EmailSubmission', 'submission'],
    ['SieveScript', 'sieve_script'],
    ['Suppression', 'suppression'],
  ] as const) {
    const rows = await reader.sql.query((db) => db.selectFrom(table).select('id').where('account', '=', account))
    for (const { id } of rows) present.add(`${type} ${id}`)
  }
  const deliveries = await reader.sql.query((db) =>
    db.selectFrom('webhook_delivery').select('id').where('organization', '=', account).where('id', 'is not', null),
  )
  for (const { id } of deliveries) present.add(`WebhookDelivery ${id}`)
  const objects = await reader.sql.query((db) =>
    db.selectFrom('object').select(['type', 'id']).where('account', '=', account),
  )
  // Keys are kept beside their domains and are no objects that clients see.
  for (const { type, id } of objects)
    if (type !== 'DkimKey' && !NEVER_CREATED.includes(type)) present.add(`${type} ${id}`)
  for (const key of present) {
    const type = key.slice(0, key.indexOf(' '))
    if (state.get(key) === undefined && !floorOf.has(type))
      faults.push({ account, kind: 'change-log', detail: `${key} is not in the log` })
    if (state.get(key) === 'd')
      faults.push({ account, kind: 'change-log', detail: `${key} is there though the log destroyed it` })
  }
  for (const [key, kind] of state)
    if (kind !== 'd' && !present.has(key))
      faults.push({ account, kind: 'change-log', detail: `${key} is in the log but not there` })
  return faults
}
