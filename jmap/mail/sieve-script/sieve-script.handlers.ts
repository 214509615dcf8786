/** Handlers of SieveScript: RFC 9661 2. Content is in blobs; stored scripts are valid; at most one script of an account is active. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { listSieveScripts, updateSieveScript } from '../../../storage/repos/sieve-scripts.ts'
import { fold } from '../../../storage/search/tokens.ts'
import type { MethodContext } from '../../type/context.ts'
import type { Comparator, SortOf } from '../../type/derived.ts'
import { passesFilter } from '../../type/filter.ts'
import type { EndingSet, Handlers, PrepareOutcome, WriteContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { reportServerSet } from '../../type/report-server-set.ts'
import { type PreparedBlob, prepareBlob } from '../blob/blobs.ts'
import { readScript } from './content.ts'
import { SieveScript } from './sieve-script.type.ts'
import { planScripts, presentScript, type ScriptRow } from './sieve-script-plan.ts'

export const sieveScriptHandlers: Handlers<typeof SieveScript, PreparedBlob, PreparedBlob | null> = {
  async all({ method, reader }, limit) {
    const rows = await listSieveScripts(reader, method.account.number)
    return rows.slice(0, limit).map(({ id }) => id)
  },

  async load({ method, reader }, { numbers, properties }) {
    const rows = await listSieveScripts(reader, method.account.number)
    const wanted = rows.filter(({ id }) => numbers.includes(id))
    return new Map(wanted.map((row) => [row.id, pick(presentScript(method, row), properties)]))
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

  plan: planScripts,
  finish: activate,
}

async function prepareContent(method: MethodContext, blobId: string): Promise<PrepareOutcome<PreparedBlob>> {
  const script = await readScript(method, blobId)
  if ('error' in script) return script
  return { prepared: await prepareBlob(method.services.store, script.bytes) }
}

function compareRows(a: ScriptRow, b: ScriptRow, sort: readonly Comparator<SortOf<typeof SieveScript>>[]): number {
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
async function activate({ unit, method, args }: WriteContext<typeof SieveScript>, set: EndingSet): Promise<void> {
  const { onSuccessActivateScript: wanted, onSuccessDeactivateScript: deactivates } = args
  if (!set.isWhole || (wanted === null && !deactivates)) return
  const rows = await listSieveScripts(unit, unit.account)
  const number = wanted === null ? null : method.number(SieveScript, set.resolve(wanted))
  const chosen = rows.find(({ id }) => id === number)
  // RFC 9661 2.4: the id of a script that does not exist is ignored.
  if (!chosen && !deactivates) return
  for (const row of rows) if ((row.is_active === 1) !== (row === chosen)) await setActive(unit, method, row, set)
}

async function setActive(unit: AccountUnit, method: MethodContext, row: ScriptRow, set: EndingSet): Promise<void> {
  const isActive = row.is_active === 0
  await updateSieveScript(unit, row.id, { is_active: Number(isActive) })
  unit.change(SieveScript.name, row.id, 'u', ['isActive'])
  reportServerSet(set, method.id(SieveScript, row.id), { isActive })
}
