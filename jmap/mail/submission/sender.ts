/** The identity of an outgoing message, and its From (RFC 8621 6, decision D17). */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { MethodContext } from '../../type/context.ts'
import type { Refusal } from '../../type/handlers.ts'
import type { Stored } from '../../type/object-store.ts'
import { isOfIdentity } from '../identity/identity.handlers.ts'
import { Identity } from '../identity/identity.type.ts'

/** The named identity, else the one that fits From best; without a From the first. */
export function identityOf(
  method: MethodContext,
  identities: readonly Stored<typeof Identity>[],
  named: string | null,
  { from: given }: JsonObject,
): Stored<typeof Identity> | Refusal {
  if (named !== null) {
    const number = method.number(Identity, named)
    const identity = identities.find(({ id }) => id === number)
    return identity ?? { error: invalidProperties(['identityId'], 'There is no such identity.') }
  }
  const from = firstAddress(given)
  const identity =
    from === null
      ? identities[0]
      : (identities.find((one) => one.data.email === normaliseAddress(from)) ??
        identities.find((one) => !one.data.email.startsWith('*@') && isOfIdentity(one.data.email, from)) ??
        identities.find((one) => isOfIdentity(one.data.email, from)))
  if (identity) return identity
  return { error: setError('forbiddenFrom', `The mailbox may not send from ${from ?? 'any address'}.`) }
}

/** From as given. A single address without a name gets the identity's name. */
export function fromOf(from: Json | undefined, { data: { name, email } }: Stored<typeof Identity>): Json {
  // Decision D17: an identity without a name is called by its address, which is no name for From.
  const ownName = name === '' || name.toLowerCase() === email.toLowerCase() ? null : name
  if (from === undefined || from === null) return [{ name: ownName, email }]
  if (!Array.isArray(from) || from.length !== 1) return from
  const [only] = from
  return isObject(only) && (only['name'] ?? null) === null ? [{ ...only, name: ownName }] : from
}

/** A value that is not a list of addresses is refused later with the rest of the email. */
function firstAddress(from: Json | undefined): string | null {
  const first: unknown = Array.isArray(from) ? from[0] : null
  const email = isObject(first) ? first['email'] : null
  return typeof email === 'string' ? email : null
}
