/** Handlers of SieveScript: RFC 9661 2. Content is in blobs; stored scripts are valid; at most one script of an account is active. */
import type { JsonObject } from '../../../server/base/json.ts'
import { SIEVE_SCRIPT_NAME_MAX_BYTES, SIEVE_SCRIPTS_MAX } from '../../../server/base/sieve-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  deleteSieveScript,
  insertSieveScript,
  listSieveScripts,
  updateSieveScript,
} from '../../../storage/repos/sieve-scripts.ts'
import type { SieveScriptTable } from '../../../storage/schema/sieve-script.ts'
import { fold } from '../../../storage/search/tokens.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { Comparator, ObjectOf, SortOf } from '../../type/derived.ts'
import { passesFilter } from '../../type/filter.ts'
import type { EndingSet, Handlers, PrepareOutcome, WriteContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { BLOB_ID, type PreparedBlob, prepareBlob, recordBlob, referTo } from '../blob/blobs.ts'
import { readScript } from './content.ts'
import { SieveScript } from './sieve-script.type.ts'

const TYPE = SieveScript.name
/** Media type of scripts in delivery and downloads (RFC 5228 6). */
const MEDIA_TYPE = 'application/sieve'

type Write = WriteContext<typeof SieveScript>

export const sieveScriptHandlers: Handlers<typeof SieveScript, PreparedBlob, PreparedBlob | null> = {
  async all({ method, reader }, limit) {
    const rows = await listSieveScripts(reader, method.account.number)
    return rows.slice(0, limit).map(({ id }) => id)
  },

  async load({ method, reader }, { numbers, properties }) {
    const rows = await listSieveScripts(reader, method.account.number)
    const wanted = rows.filter(({ id }) => numbers.includes(id))
    return new Map(wanted.map((row) => [row.id, pick(present(method, row), properties)]))
  },

  async query({ method, reader }, { filter, sort }) {
    const rows = await listSieveScripts(reader, method.account.number)
    const kept = rows.filter((row) =>
      passesFilter(filter, {
        // RFC 9661 2.5: the name contains the text.
        name: (text) => fold(row.name).includes(fold(text)),
        isActive: (isActive) => (row.is_active === 1) === isActive,
      }),
    )
    kept.sort((a, b) => compareRows(a, b, sort))
    return listResult(kept.map(({ id }) => id))
  },

  prepareCreate: (method, { blobId }) => prepareContent(method, blobId),

  prepareUpdate: async (method, { blobId }) =>
    typeof blobId === 'string' ? prepareContent(method, method.resolveId(blobId)) : { prepared: null },

  async create(write, input, content) {
    const { unit, method } = write
    const rows = await listSieveScripts(unit, unit.account)
    if (rows.length >= SIEVE_SCRIPTS_MAX)
      return { error: setError('overQuota', `An account has at most ${SIEVE_SCRIPTS_MAX} scripts.`) }
    const name = nameOf(input) ?? freeName(rows)
    const fault = nameFault(method, rows, name, null)
    if (fault) return { error: fault }
    const id = unit.nextObject()
    const blob = await keepContent(write, content)
    const row = { id, name, blob, is_active: 0, created_at: unit.now }
    await insertSieveScript(unit, row)
    unit.change(TYPE, id, 'c')
    const { id: _id, ...serverSet } = present(method, row)
    return { created: { number: id, serverSet } }
  },

  async update(write, number, { next, changed, prepared }) {
    const { unit, method } = write
    if (changed.length === 0) return { updated: null }
    const rows = await listSieveScripts(unit, unit.account)
    const before = rows.find(({ id }) => id === number)!
    const name = nameOf(next) ?? freeName(rows)
    const fault = nameFault(method, rows, name, number)
    if (fault) return { error: fault }
    const blob = prepared ? await keepContent(write, prepared) : before.blob
    await updateSieveScript(unit, number, { name, blob })
    unit.change(TYPE, number, 'u', changed)
    const told = unknownTo(next, present(method, { ...before, name, blob }))
    return { updated: Object.keys(told).length > 0 ? told : null }
  },

  async destroy({ unit }, number) {
    const row = (await listSieveScripts(unit, unit.account)).find(({ id }) => id === number)
    if (!row) return setError('notFound')
    // RFC 9661 2.4: the script must be deactivated first.
    if (row.is_active === 1) return setError('sieveIsActive', 'The script is active.')
    await deleteSieveScript(unit, number)
    unit.change(TYPE, number, 'd')
    return null
  },

  finish: activate,
}

type Row = Pick<SieveScriptTable, 'id' | 'name' | 'blob' | 'is_active'>

function present(method: MethodContext, { id, name, blob, is_active }: Row): ObjectOf<typeof SieveScript> {
  return { id: method.id(SieveScript, id), name, blobId: method.id(BLOB_ID, blob), isActive: is_active === 1 }
}

async function prepareContent(method: MethodContext, blobId: string): Promise<PrepareOutcome<PreparedBlob>> {
  const script = await readScript(method, blobId)
  if ('error' in script) return script
  return { prepared: await prepareBlob(method.services.store, script.bytes) }
}

async function keepContent({ unit, work }: Write, blob: PreparedBlob): Promise<number> {
  await recordBlob(work, blob)
  return referTo(unit, blob, MEDIA_TYPE, null)
}

/** RFC 5198 3: in Normalization Form C. */
function nameOf({ name }: { readonly name: string | null }): string | null {
  return name?.normalize('NFC') ?? null
}

/** RFC 9661 2: the name of a script that was created without one. */
function freeName(rows: readonly Row[]): string {
  const taken = new Set(rows.map(({ name }) => name))
  let number = rows.length + 1
  while (taken.has(`script ${number}`)) number++
  return `script ${number}`
}

/** RFC 9661 2: a maximum size, no control characters or line ends (RFC 5804 1.6), and unique in the account. */
function nameFault(method: MethodContext, rows: readonly Row[], name: string, own: number | null): SetError | null {
  if (Buffer.byteLength(name) > SIEVE_SCRIPT_NAME_MAX_BYTES || /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name))
    return invalidProperties(
      ['name'],
      `A name has 1 to ${SIEVE_SCRIPT_NAME_MAX_BYTES} octets and no control characters.`,
    )
  const other = rows.find((row) => row.name === name && row.id !== own)
  return other ? alreadyExists(method.id(SieveScript, other.id), 'A script of that name is there already.') : null
}

/** RFC 8620 5.3: what the client did not send, or sent differently. */
function unknownTo(sent: object, object: ObjectOf<typeof SieveScript>): JsonObject {
  const known = new Map<string, unknown>(Object.entries(sent))
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => name !== 'id' && known.get(name) !== value),
  )
}

function compareRows(a: Row, b: Row, sort: readonly Comparator<SortOf<typeof SieveScript>>[]): number {
  for (const { property, isAscending } of sort) {
    const order = property === 'name' ? compareNames(a.name, b.name) : a.is_active - b.is_active
    if (order !== 0) return isAscending ? order : -order
  }
  return a.id - b.id
}

function compareNames(a: string, b: string): number {
  const [x, y] = [fold(a), fold(b)]
  return x < y ? -1 : Number(x > y)
}

/** RFC 9661 2.4: onSuccessDeactivateScript, then onSuccessActivateScript; both only if no record was refused. */
async function activate({ unit, method, args }: Write, set: EndingSet): Promise<void> {
  const { onSuccessActivateScript: wanted, onSuccessDeactivateScript: deactivates } = args
  if (!set.isWhole || (wanted === null && !deactivates)) return
  const rows = await listSieveScripts(unit, unit.account)
  const number = wanted === null ? null : method.number(SieveScript, set.resolve(wanted))
  const chosen = rows.find(({ id }) => id === number)
  // RFC 9661 2.4: the id of a script that does not exist is ignored.
  if (!chosen && !deactivates) return
  for (const row of rows) if ((row.is_active === 1) !== (row === chosen)) await setActive(unit, method, row, set)
}

async function setActive(unit: AccountUnit, method: MethodContext, row: Row, set: EndingSet): Promise<void> {
  const isActive = row.is_active === 0
  await updateSieveScript(unit, row.id, { is_active: Number(isActive) })
  unit.change(TYPE, row.id, 'u', ['isActive'])
  const id = method.id(SieveScript, row.id)
  const created = [...set.created].find(([, object]) => object['id'] === id)
  if (created) set.created.set(created[0], { ...created[1], isActive })
  else set.updated.set(id, { ...set.updated.get(id), isActive })
}
