/** Ids and numbers of a type's objects in an account. */
import type { MethodContext } from './context.ts'
import { SINGLETON, SINGLETON_ID, type TypeSpec } from './define-type.ts'

export function objectId(method: MethodContext, type: TypeSpec, number: number): string {
  if (type.idPrefix === SINGLETON_ID) return SINGLETON_ID
  return type.isAccount ? method.services.ids.encode(type, number) : method.id(type, number)
}

/** null: the text is not an id of this type in this account. */
export function objectNumber(method: MethodContext, type: TypeSpec, id: string): number | null {
  if (type.idPrefix === SINGLETON_ID) return id === SINGLETON_ID ? SINGLETON : null
  if (!type.isAccount) return method.number(type, id)
  const decoded = method.services.ids.decode(type, id)
  return decoded?.object === 0 && decoded.part === 0 ? decoded.account : null
}
