/** Handlers of Identity: RFC 8621 6. An account may send as its own address, its aliases, and `+tag` forms of both. */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { addressesOf, findAddress, findDomainName } from '../../../storage/repos/directory.ts'
import { baseAddress, domainOf, normaliseAddress } from '../../message/mail-address.ts'
import { isVerifiedStatus } from '../../policy/domain/state.ts'
import { setError } from '../../protocol/errors.ts'
import type { PatchedOf, StoredOf } from '../../type/derived.ts'
import { objectHandlers } from '../../type/object-handlers.ts'
import { deleteStored, insertStored, listStored, updateStored } from '../../type/object-store.ts'
import { Identity } from './identity.type.ts'

export const identityHandlers = objectHandlers(Identity, {
  async create(write, input) {
    const email = normaliseAddress(input.email)
    // RFC 8621 6.3, 9.6: an address that the user may not send from.
    if (email === null || !(await maySendAs(write.unit, write.unit.account, email)))
      return { error: setError('forbiddenFrom') }
    return { stored: withNames({ ...input, email, mayDelete: true }) }
  },
  update: async (_write, _number, { next }) => ({ stored: withNames(next) }),
  destroy: async (_write, _number, { mayDelete }) =>
    mayDelete ? null : setError('forbidden', 'The identity of an address goes with the address.'),
})

/** RFC 8621 4.1.2.3: an address without a name has the name null. */
function withNames(identity: Omit<PatchedOf<typeof Identity>, 'id'>): StoredOf<typeof Identity> {
  const named = (list: typeof identity.bcc) => list?.map(({ name = null, email }) => ({ name, email })) ?? null
  return { ...identity, replyTo: named(identity.replyTo), bcc: named(identity.bcc) }
}

/**
 * Whether an account owns a normalised address: as its own address, by alias, with a tag, or as the catch-all of the domain, which gets
 * mail for all addresses that no other mailbox has (`*@domain` stands for these).
 */
export async function maySendAs(reader: Reader, account: number, email: string): Promise<boolean> {
  const own = await addressesOf(reader, account)
  if (own.some(({ address }) => address === email || address === baseAddress(email))) return true
  if ((await catchAllOf(reader, domainOf(email))) !== account) return false
  return !(await findAddress(reader, email)) && !(await findAddress(reader, baseAddress(email)))
}

/** The account that receives mail to unknown addresses of a domain; null: none. */
export async function catchAllOf(reader: Reader, domain: string): Promise<number | null> {
  const claims = await findDomainName(reader, domain)
  return claims.find(({ status }) => isVerifiedStatus(status))?.catch_all ?? null
}

/** RFC 8621 6: whether an address may stand in From under an identity, whose `*@domain` means all addresses of the domain. */
export function isOfIdentity(identityEmail: string, address: string): boolean {
  const normal = normaliseAddress(address)
  if (normal === null) return false
  if (identityEmail === normal || identityEmail === baseAddress(normal)) return true
  return identityEmail.startsWith('*@') && domainOf(normal) === domainOf(identityEmail)
}

/** Creates the identity for one of the account's addresses, together with the address. */
export async function createIdentity(unit: AccountUnit, email: string, name: string | null): Promise<void> {
  const data = {
    name: name ?? '',
    email,
    replyTo: null,
    bcc: null,
    textSignature: '',
    htmlSignature: '',
    mayDelete: false,
  }
  await insertStored(unit, Identity, { id: unit.nextObject(), data })
}

/** The identity for all addresses of a domain (decision D17). */
export function catchAllIdentity(domain: string): string {
  return `*@${domain}`
}

export async function renameIdentityOf(unit: AccountUnit, email: string, name: string | null): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, Identity))
    if (data.email === email) await updateStored(unit, Identity, { id, data: { ...data, name: name ?? '' } }, ['name'])
}

export async function destroyIdentityOf(unit: AccountUnit, email: string): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, Identity))
    if (data.email === email) await deleteStored(unit, Identity, id)
}
