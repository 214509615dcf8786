/** Which identity a message is sent under, and what it says in From (RFC 8621 6, decision D17). */
import type { StoredObject } from '../../../storage/repos/objects.ts'
import type { MethodContext } from '../../context.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { normaliseAddress } from '../addresses.ts'
import { isOfIdentity } from '../identity/rules.ts'

/** The one that is named, else the one that From belongs to, the closest first; without a From the first. */
export function identityOf(
  method: MethodContext,
  identities: readonly StoredObject[],
  named: string | null,
  email: JsonObject,
): StoredObject | { readonly error: SetError } {
  if (named !== null) {
    const number = method.number('Identity', named)
    const identity = identities.find(({ id }) => id === number)
    return identity ?? { error: invalidProperties(['identityId'], 'There is no such identity.') }
  }
  const from = firstAddress(email['from'])
  const emailOf = ({ data }: StoredObject) => data['email'] as string
  const identity =
    from === null
      ? identities[0]
      : (identities.find((one) => emailOf(one) === normaliseAddress(from)) ??
        identities.find((one) => !emailOf(one).startsWith('*@') && isOfIdentity(emailOf(one), from)) ??
        identities.find((one) => isOfIdentity(emailOf(one), from)))
  if (identity) return identity
  return { error: setError('forbiddenFrom', `The mailbox may not send from ${from ?? 'any address'}.`) }
}

/** From as the message has it: an only address without a name gets the identity's. */
export function fromOf(from: Json | undefined, { data }: StoredObject): Json {
  const { name, email } = data as { name: string; email: string }
  // Decision D17: an identity without a name of its own is called by its address, which says nothing in a From field.
  const ownName = name === '' || name.toLowerCase() === email.toLowerCase() ? null : name
  if (from === undefined || from === null) return [{ name: ownName, email }]
  if (!Array.isArray(from) || from.length !== 1) return from
  const [only] = from as JsonObject[]
  return only !== null && typeof only === 'object' && (only['name'] ?? null) === null
    ? [{ ...only, name: ownName }]
    : from
}

/** What is no list of addresses is refused with the rest of the email. */
function firstAddress(from: Json | undefined): string | null {
  const first: unknown = Array.isArray(from) ? from[0] : null
  const email = first !== null && typeof first === 'object' ? (first as JsonObject)['email'] : null
  return typeof email === 'string' ? email : null
}
