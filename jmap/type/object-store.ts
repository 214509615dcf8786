/** Objects of types in the generic store, typed by their declaration. */
import type { AccountUnit, Reader } from '../../storage/ports.ts'
import {
  deleteObject,
  findObject,
  insertObject,
  listObjects,
  type StoredObject,
  updateObject,
} from '../../storage/repos/objects.ts'
import { SINGLETON, type TypeSpec } from './define-type.ts'
import type { StoredOf } from './derived.ts'

/** An object with its number. */
export type Stored<D extends TypeSpec> = StoredObject<StoredOf<D>>

export function findStored<D extends TypeSpec>(
  reader: Reader,
  account: number,
  { name }: D,
  number: number | null,
): Promise<Stored<D> | null> {
  return number === null ? Promise.resolve(null) : findObject<StoredOf<D>>(reader, account, name, number)
}

/** All objects of the type in an account, oldest first. */
export function listStored<D extends TypeSpec>(reader: Reader, account: number, { name }: D): Promise<Stored<D>[]> {
  return listObjects<StoredOf<D>>(reader, account, name)
}

/** Also writes the row of the change log. */
export async function insertStored<D extends TypeSpec>(
  unit: AccountUnit,
  { name }: D,
  { id, data }: Stored<D>,
): Promise<void> {
  await insertObject(unit, unit.account, name, { id, data }, unit.now)
  unit.change(name, id, 'c')
}

/** Also writes the row of the change log. @param changed names of the changed properties; null: none that clients see */
export async function updateStored<D extends TypeSpec>(
  unit: AccountUnit,
  { name }: D,
  { id, data }: Stored<D>,
  changed: readonly string[] | null,
): Promise<void> {
  await updateObject(unit, unit.account, name, { id, data })
  if (changed) unit.change(name, id, 'u', changed)
}

/** Also writes the row of the change log. */
export async function deleteStored(unit: AccountUnit, { name }: TypeSpec, number: number): Promise<void> {
  await deleteObject(unit, unit.account, name, number)
  unit.change(name, number, 'd')
}

/** The object of a singleton type; null: it has never been written. */
export async function findSingleton<D extends TypeSpec>(
  reader: Reader,
  account: number,
  type: D,
): Promise<StoredOf<D> | null> {
  return (await findStored(reader, account, type, SINGLETON))?.data ?? null
}

/** Also writes the row of the change log. @param changed names of the changed properties, if known */
export async function saveSingleton<D extends TypeSpec>(
  unit: AccountUnit,
  type: D,
  data: StoredOf<D>,
  changed?: readonly string[],
): Promise<void> {
  const object = { id: SINGLETON, data }
  if (await findSingleton(unit, unit.account, type)) await updateObject(unit, unit.account, type.name, object)
  else await insertObject(unit, unit.account, type.name, object, unit.now)
  unit.change(type.name, SINGLETON, 'u', changed)
}
