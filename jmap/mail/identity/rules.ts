/** Rules of Identity: RFC 8621 6. An account may send as its own address, its aliases, and `+tag` forms of both. */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { addressesOf, findAddress, findDomainName } from '../../../storage/repos/directory.ts'
import { deleteObject, insertObject, listObjects } from '../../../storage/repos/objects.ts'
import { setError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isVerifiedStatus } from '../../service/domain/state.ts'
import { objectRules } from '../../type/object-rules.ts'
import { baseAddress, domainOf, normaliseAddress } from '../addresses.ts'
import { Identity } from './identity.type.ts'

export const identityRules = objectRules(Identity, {
  async create(write, input) {
    const email = normaliseAddress(input['email'] as string)
    // RFC 8621 6.3, 9.6: an address that the user may not send from.
    if (email === null || !(await maySendAs(write.unit, write.unit.account, email)))
      return { error: setError('forbiddenFrom') }
    return { stored: { ...withNames(input), email, mayDelete: true } }
  },
  async update(_write, _number, { next }) {
    return { stored: withNames(next) }
  },
  async destroy(_write, _number, stored) {
    return stored['mayDelete'] === true
      ? null
      : setError('forbidden', 'The identity of an address goes with the address.')
  },
})

/** RFC 8621 4.1.2.3: an address that is given without a name has the name null. */
function withNames(identity: JsonObject): JsonObject {
  const named = (list: Json) =>
    Array.isArray(list) ? list.map((address: JsonObject) => ({ name: null, ...address })) : null
  return { ...identity, replyTo: named(identity['replyTo']!), bcc: named(identity['bcc']!) }
}

/**
 * Whether an account owns a normalised address: itself, by alias, or with a tag; or as the catch-all of the domain, which takes what
 * is sent to all addresses that are nobody else's (`*@domain` stands for these).
 */
export async function maySendAs(reader: Reader, account: number, email: string): Promise<boolean> {
  const own = await addressesOf(reader, account)
  if (own.some(({ address }) => address === email || address === baseAddress(email))) return true
  const claims = await findDomainName(reader, domainOf(email))
  if (!claims.some(({ status, catch_all }) => isVerifiedStatus(status) && catch_all === account)) return false
  return !(await findAddress(reader, email)) && !(await findAddress(reader, baseAddress(email)))
}

/** RFC 8621 6: whether an address may stand in From under an identity, whose `*@domain` means all addresses of the domain. */
export function isOfIdentity(identityEmail: string, address: string): boolean {
  const normal = normaliseAddress(address)
  if (normal === null) return false
  if (identityEmail === normal || identityEmail === baseAddress(normal)) return true
  return identityEmail.startsWith('*@') && domainOf(normal) === domainOf(identityEmail)
}

/** The identity of one of the account's addresses, made with the address. */
export async function createIdentity(unit: AccountUnit, email: string, name: string | null): Promise<number> {
  const id = unit.nextObject()
  const data = {
    name: name ?? '',
    email,
    replyTo: null,
    bcc: null,
    textSignature: '',
    htmlSignature: '',
    mayDelete: false,
  }
  await insertObject(unit, unit.account, 'Identity', { id, data }, unit.now)
  unit.change('Identity', id, 'c')
  return id
}

export async function destroyIdentityOf(unit: AccountUnit, email: string): Promise<void> {
  for (const { id, data } of await listObjects(unit, unit.account, 'Identity')) {
    if (data['email'] !== email) continue
    await deleteObject(unit, unit.account, 'Identity', id)
    unit.change('Identity', id, 'd')
  }
}
