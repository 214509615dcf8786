/** SieveScript/set: its records judged and written together (RFC 8620 5.3, RFC 9661 2.4). */
import type { JsonObject } from '../../../server/base/json.ts'
import { SIEVE_SCRIPT_NAME_MAX_BYTES, SIEVE_SCRIPTS_MAX } from '../../../server/base/sieve-limits.ts'
import {
  deleteSieveScript,
  insertSieveScript,
  listSieveScripts,
  updateSieveScript,
} from '../../../storage/repos/sieve-scripts.ts'
import type { SieveScriptTable } from '../../../storage/schema/sieve-script.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import { Claims } from '../../type/claims.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { PlannedRecord, SetPlan, WriteContext } from '../../type/handlers.ts'
import { BLOB_ID, type PreparedBlob, recordBlob, referTo } from '../blob/blobs.ts'
import { SieveScript } from './sieve-script.type.ts'

/** Media type of scripts in delivery and downloads (RFC 5228 6). */
const MEDIA_TYPE = 'application/sieve'

type Write = WriteContext<typeof SieveScript>
type Planned = PlannedRecord<typeof SieveScript, PreparedBlob, PreparedBlob | null>
export type ScriptRow = Pick<SieveScriptTable, 'id' | 'name' | 'blob' | 'is_active'>

export function presentScript(method: MethodContext, { id, name, blob, is_active }: ScriptRow) {
  return {
    id: method.id(SieveScript, id),
    name,
    blobId: method.id(BLOB_ID, blob),
    isActive: is_active === 1,
  } satisfies ObjectOf<typeof SieveScript>
}

export async function planScripts(
  write: Write,
): Promise<SetPlan<typeof SieveScript, PreparedBlob, PreparedBlob | null>> {
  return new ScriptPlan(write, await listSieveScripts(write.unit, write.unit.account))
}

class ScriptPlan implements SetPlan<typeof SieveScript, PreparedBlob, PreparedBlob | null> {
  readonly #write: Write
  readonly #before: ReadonlyMap<number, ScriptRow>
  /** By number; null: the server finds one. */
  readonly #names = new Map<number, string | null>()
  readonly #claims = new Claims()

  constructor(write: Write, rows: readonly ScriptRow[]) {
    this.#write = write
    this.#before = new Map(rows.map((row) => [row.id, row]))
    for (const { id, name } of rows) this.#enter(id, name)
  }

  make(record: Planned): void {
    this.#leave(record.number)
    if (record.kind !== 'destroy') this.#enter(record.number, wantedName(record))
  }

  undo({ number }: Planned): void {
    this.#leave(number)
    const row = this.#before.get(number)
    if (row) this.#enter(number, row.name)
  }

  faultOf(record: Planned): SetError | null {
    // RFC 9661 2.4: the script must be deactivated first.
    if (record.kind === 'destroy')
      return this.#before.get(record.number)!.is_active === 1
        ? setError('sieveIsActive', 'The script is active.')
        : null
    if (record.kind === 'create' && this.#names.size > SIEVE_SCRIPTS_MAX)
      return setError('overQuota', `An account has at most ${SIEVE_SCRIPTS_MAX} scripts.`)
    const name = wantedName(record)
    return name === null ? null : (nameFault(name) ?? this.#namesakeFault(record.number, name))
  }

  async write(records: readonly Planned[]): Promise<ReadonlyMap<number, JsonObject>> {
    const told = new Map<number, JsonObject>()
    for (const record of records) {
      const fresh = record.kind === 'destroy' ? await this.#destroy(record.number) : await this.#save(record)
      if (fresh) told.set(record.number, fresh)
    }
    return told
  }

  async #destroy(number: number): Promise<null> {
    const { unit } = this.#write
    await deleteSieveScript(unit, number)
    unit.change(SieveScript.name, number, 'd')
    return null
  }

  /** @returns what the client may not know */
  async #save(record: Exclude<Planned, { kind: 'destroy' }>): Promise<JsonObject | null> {
    const { unit, method } = this.#write
    const { number } = record
    const name = wantedName(record) ?? this.#findName(number)
    const before = this.#before.get(number)
    const content = record.kind === 'create' ? record.prepared : record.change.prepared
    const blob = content ? await this.#keepContent(content) : before!.blob
    const { id: _id, ...told } = presentScript(method, { id: number, name, blob, is_active: before?.is_active ?? 0 })
    if (record.kind === 'create') {
      await insertSieveScript(unit, { id: number, name, blob, is_active: 0, created_at: unit.now })
      unit.change(SieveScript.name, number, 'c')
      return told
    }
    const { next, changed } = record.change
    await updateSieveScript(unit, number, { name, blob })
    unit.change(SieveScript.name, number, 'u', changed)
    // RFC 8620 5.3: what became otherwise than the client sent it.
    const sent = new Map<string, unknown>(Object.entries(next))
    const differing = Object.entries(told).filter(([property, value]) => sent.get(property) !== value)
    return differing.length > 0 ? Object.fromEntries(differing) : null
  }

  async #keepContent(blob: PreparedBlob): Promise<number> {
    const { unit, work } = this.#write
    await recordBlob(work, blob)
    return referTo(unit, blob, MEDIA_TYPE, null)
  }

  /** RFC 9661 2: the name of a script that was created without one. */
  #findName(number: number): string {
    let suffix = this.#names.size
    while (this.#claims.holderOf(`script ${suffix}`) !== null) suffix++
    const name = `script ${suffix}`
    this.#enter(number, name)
    return name
  }

  #namesakeFault(number: number, name: string): SetError | null {
    const other = this.#claims.rivalOf(name, number)
    if (other === null) return null
    return alreadyExists(this.#write.method.id(SieveScript, other), 'A script of that name is there already.')
  }

  #enter(number: number, name: string | null): void {
    this.#names.set(number, name)
    if (name !== null) this.#claims.hold(name, number, this.#before.get(number)?.name !== name)
  }

  #leave(number: number): void {
    const name = this.#names.get(number) ?? null
    this.#names.delete(number)
    if (name !== null) this.#claims.release(name, number)
  }
}

/** RFC 5198 3: in Normalization Form C. */
function wantedName(record: Exclude<Planned, { kind: 'destroy' }>): string | null {
  const { name } = record.kind === 'create' ? record.input : record.change.next
  return name?.normalize('NFC') ?? null
}

/** RFC 9661 2: a maximum size, no control characters or line ends (RFC 5804 1.6). */
function nameFault(name: string): SetError | null {
  if (Buffer.byteLength(name) <= SIEVE_SCRIPT_NAME_MAX_BYTES && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return null
  return invalidProperties(['name'], `A name has 1 to ${SIEVE_SCRIPT_NAME_MAX_BYTES} octets and no control characters.`)
}
