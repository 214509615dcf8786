/**
 * PushSubscription/get and /set: RFC 8620 7.2.1, 7.2.2. They are the shared methods without accountId and state, because these objects
 * belong to a credential.
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { CORE } from '../../type/capabilities.ts'
import { type AccountRef, MethodContext, type RequestContext } from '../../type/context.ts'
import { checkArguments, type Method } from '../../type/method.ts'
import { GET_ARGS, runGet } from '../../type/methods/get.ts'
import { runSet, SET_ARGS } from '../../type/methods/set.ts'
import type { ArgumentsOf, Properties } from '../../type/property.ts'
import { registerType } from '../../type/type-methods.ts'
import { pushSubscriptionHandlers } from './push-subscription.handlers.ts'
import { PushSubscription } from './push-subscription.type.ts'

const { create, update, destroy } = SET_ARGS
const { type, handlers } = registerType(PushSubscription, pushSubscriptionHandlers)

export const pushSubscriptionMethods: readonly Method[] = [
  {
    name: 'PushSubscription/get',
    capability: CORE,
    writes: false,
    weight: () => 'little',
    access: null,
    args: GET_ARGS,
    async run(request, given) {
      const args = checkOwnArguments(GET_ARGS, given)
      // RFC 8620 7.2.1: url and keys may be private to a device.
      if (args.properties?.some((name) => name === 'url' || name === 'keys'))
        throw new MethodError('forbidden', 'url and keys are never returned.')
      const { accountId: _account, state: _state, ...rest } = await runGet(homeOf(request), type, handlers, args)
      return rest
    },
  },
  {
    name: 'PushSubscription/set',
    capability: CORE,
    writes: true,
    weight: () => 'little',
    access: null,
    args: { create, update, destroy },
    async run(request, given) {
      const args = checkOwnArguments({ create, update, destroy }, given)
      const all = { ...args, ifInState: null, returning: null }
      const answer = await runSet(homeOf(request), type, handlers, all)
      const { accountId: _account, oldState: _old, newState: _new, ...rest } = answer
      return rest
    },
  },
]

function checkOwnArguments<P extends Properties>(properties: P, given: JsonObject): ArgumentsOf<P> {
  if ('accountId' in given) throw invalidArguments('Push subscriptions are not in accounts.', ['accountId'])
  return checkArguments(properties, given)
}

/** The account that holds a credential's subscriptions: the mailbox account of a password, the organization of an API key. */
function homeOf(request: RequestContext): MethodContext {
  const { ids } = request.services
  const { kind, credential, organization, username: name } = request.principal
  const number = kind === 'mailbox' ? ids.accountNumber('mailbox', credential) : organization
  if (kind === 'system' || number === null) throw new MethodError('forbidden', 'Only clients have push subscriptions.')
  const account: AccountRef =
    kind === 'mailbox'
      ? { number, id: credential, kind: 'mailbox', organization, name }
      : { number, id: ids.accountId('organization', number), kind: 'organization', organization, name }
  return new MethodContext(request, account)
}
