/** JMAP calls by the system principal, through the same dispatcher as all calls. */

import { CALENDARS } from '../../jmap/calendars/capability.ts'
import type { Core } from '../../jmap/services.ts'
import { SERVICE } from '../../jmap/type/capabilities.ts'
import type { AnswerOf, GivenTo, MethodDeclaration } from '../../jmap/type/method-declaration.ts'
import { Failure } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { SYSTEM } from '../base/principal.ts'

/** Calls a declared method. @throws Failure `storageUnavailable` if the method fails */
export function callMethod<D extends MethodDeclaration>(
  core: Pick<Core, 'process'>,
  { name }: D,
  { accountId, ...args }: GivenTo<D>,
): Promise<AnswerOf<D>> {
  return callAsSystem<AnswerOf<D>>(core, accountId, name, args as JsonObject)
}

/** Resolves with the arguments of the response, of type `A`. @throws Failure `storageUnavailable` if the method fails */
export async function callAsSystem<A>(
  core: Pick<Core, 'process'>,
  accountId: string,
  method: string,
  args: JsonObject,
): Promise<A> {
  const methodCalls: [string, JsonObject, string][] = [[method, { accountId, ...args }, '0']]
  const response = await core.process(SYSTEM, { using: [SERVICE.urn, CALENDARS.urn], methodCalls })
  const [name, result] = 'methodResponses' in response ? response.methodResponses[0]! : ['error', response]
  if (name !== 'error') return result as A
  const { type, description } = result as { type?: string; description?: string }
  throw new Failure('storageUnavailable', `${method} failed: ${description ?? type}`)
}
