/** The inbox rules of an account (decision D11). They are one object, since every delivery reads all of them. */
import type { AccountUnit, Reader } from '../ports.ts'
import { findObject, SINGLETON, saveSingleton } from './objects.ts'

const TYPE = 'InboxRules'

/** The rules in their order, as JSON values. */
export async function findInboxRules(reader: Reader, account: number): Promise<readonly unknown[]> {
  const stored = await findObject(reader, account, TYPE, SINGLETON)
  return (stored?.data['rules'] as readonly unknown[] | undefined) ?? []
}

export function keepInboxRules(unit: AccountUnit, rules: readonly unknown[]): Promise<void> {
  return saveSingleton(unit, TYPE, { rules })
}
