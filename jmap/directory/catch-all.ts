/** The identity of the catch-all mailbox of a domain (decision D17). */
import type { JsonObject } from '../../server/base/json.ts'
import { findDomainName } from '../../storage/repos/directory.ts'
import { catchAllIdentity, createIdentity, destroyIdentityOf } from '../mail/identity/identity.handlers.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { Domain } from '../policy/domain/domain.type.ts'
import type { MethodContext } from '../type/context.ts'
import type { WriteContext } from '../type/handlers.ts'
import { findStored, listStored } from '../type/object-store.ts'

/** Decision D17: the catch-all mailbox has an identity for all addresses of the domain. @param to account of the new catch-all; null: none */
export async function moveCatchAllIdentity(
  { unit, work }: WriteContext<typeof Domain>,
  name: string,
  to: number | null,
): Promise<void> {
  const claim = (await findDomainName(unit, name)).find(({ account }) => account === unit.account)
  const from = claim?.catch_all ?? null
  if (from !== null) await destroyIdentityOf(work.account(from), catchAllIdentity(name))
  if (to === null) return
  const account = work.account(to)
  // A client may have created the same identity.
  await destroyIdentityOf(account, catchAllIdentity(name))
  const displayName = (await findStored(unit, unit.account, MailAccount, to))?.data.displayName ?? null
  await createIdentity(account, catchAllIdentity(name), displayName)
}

/** Accounts whose identities a Domain/set may change: the old and the new catch-all mailboxes. */
export function catchAllsOf(method: MethodContext, update: { readonly [id: string]: JsonObject }): Promise<number[]> {
  const changes = Object.entries(update).filter(([, patch]) => Object.hasOwn(patch, 'catchAllMailboxId'))
  if (changes.length === 0) return Promise.resolve([])
  const { ids } = method.services
  const organization = method.account.number
  return method.read(async (reader) => {
    const domains = await listStored(reader, organization, Domain)
    const touched = new Set(changes.map(([id]) => method.number(Domain, id)))
    const before = domains.filter(({ id }) => touched.has(id)).map(({ data }) => data.catchAllMailboxId)
    const after = changes.map(([, { catchAllMailboxId }]) => catchAllMailboxId)
    const named = [...before, ...after].flatMap((id) => (typeof id === 'string' ? method.resolveId(id) : []))
    const numbers = new Set(named.map((id) => ids.accountNumber('mailbox', id)))
    const accounts: number[] = []
    for (const number of numbers)
      if (number !== null && (await findStored(reader, organization, MailAccount, number))) accounts.push(number)
    return accounts
  })
}
