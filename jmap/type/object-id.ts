/** Ids and numbers of a type's objects in an account, and of their instances. */
import type { MethodContext } from './context.ts'
import { SINGLETON, SINGLETON_ID, type TypeSpec } from './define-type.ts'

export function objectId(method: MethodContext, type: TypeSpec, number: number): string {
  if (type.idPrefix === SINGLETON_ID) return SINGLETON_ID
  if (type.isAccount) return method.services.ids.encode(type, number)
  const instance = type.hasInstances ? method.request.instances.instanceOf(number) : null
  return instance ? method.instanceId(type, instance.object, instance.key) : method.id(type, number)
}

/** null: the text is not an id of this type in this account. */
export function objectNumber(method: MethodContext, type: TypeSpec, id: string): number | null {
  if (type.idPrefix === SINGLETON_ID) return id === SINGLETON_ID ? SINGLETON : null
  if (!type.isAccount) return method.number(type, id) ?? (type.hasInstances ? instanceNumber(method, type, id) : null)
  const decoded = method.services.ids.decode(type, id)
  return decoded?.object === 0 && decoded.part === 0 ? decoded.account : null
}

function instanceNumber(method: MethodContext, type: TypeSpec, id: string): number | null {
  const decoded = method.services.ids.decodeInstance(type, id)
  return decoded?.account === method.account.number ? method.request.instances.numberOf(decoded) : null
}
