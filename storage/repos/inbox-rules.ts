/** The inbox rules of an account (decision D11), together: they are one object that is read at every delivery. */
import type { AccountUnit, Reader } from '../ports.ts'
import { findObject, insertObject, updateObject } from './objects.ts'

const TYPE = 'InboxRules'
/** Its number in the account: there is one only. */
const NUMBER = 0

/** In order; the shape is jmap/mail/rules/rule.ts's. */
export async function findInboxRules(reader: Reader, account: number): Promise<readonly unknown[]> {
  const stored = await findObject(reader, account, TYPE, NUMBER)
  return (stored?.data['rules'] as readonly unknown[] | undefined) ?? []
}

export async function keepInboxRules(unit: AccountUnit, rules: readonly unknown[]): Promise<void> {
  const object = { id: NUMBER, data: { rules } }
  if (await findObject(unit, unit.account, TYPE, NUMBER)) await updateObject(unit, unit.account, TYPE, object)
  else await insertObject(unit, unit.account, TYPE, object, unit.now)
}
