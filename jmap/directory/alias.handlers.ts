import { mayUseMailbox } from '../../server/base/principal.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { deleteAddress, insertAddress, updateAddress } from '../../storage/repos/directory.ts'
import { destroyParticipantIdentity } from '../calendars/participant-identity/participant-identities.ts'
import { createIdentity, destroyIdentityOf } from '../mail/identity/identity.handlers.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { domainOf } from '../message/mail-address.ts'
import { roomFault } from '../policy/plan.ts'
import { invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'
import type { StoredOf } from '../type/derived.ts'
import type { SetArguments, WriteContext } from '../type/handlers.ts'
import { objectHandlers } from '../type/object-handlers.ts'
import { findStored, listStored } from '../type/object-store.ts'
import { Alias } from './alias.type.ts'
import { freeAddress } from './free-address.ts'

export const aliasHandlers = objectHandlers(Alias, {
  // A key that is limited to some mailboxes or domains cannot see aliases, because an alias can move from one mailbox to another.
  mayKnow: ({ request }) => isUnlimited(request.principal),
  accountsOf: mailboxesOf,

  async create(write, input) {
    const { method, unit, work } = write
    const { mailboxId, enabled } = input
    if (!isUnlimited(method.request.principal)) return { error: LIMITED }
    const mailbox = await mailboxFor(write, mailboxId)
    if (typeof mailbox !== 'number') return { error: mailbox }
    const address = await freeAddress(write, input, async () => {
      const used = (await listStored(unit, unit.account, Alias)).length
      return roomFault(unit, method.services.limits, 'aliases', used)
    })
    if (typeof address !== 'string') return { error: address }
    await insertAddress(work.sql, { address, account: mailbox, kind: 'alias', domain: domainOf(address) })
    if (!enabled) await updateAddress(work.sql, address, { account: mailbox, enabled: 0 })
    if (enabled) await createIdentity(work.account(mailbox), address, await nameOf(unit, mailbox))
    return { stored: { ...input, localPart: input.localPart.toLowerCase(), address } }
  },

  async update(write, number, { next, changed }) {
    const { work, unit } = write
    const { address, enabled } = next
    const mailbox = await mailboxFor(write, next.mailboxId)
    if (typeof mailbox !== 'number') return { error: mailbox }
    if (changed.includes('mailboxId') || changed.includes('enabled')) {
      const before = await findStored(unit, unit.account, Alias, number)
      await endIdentity(write.method, work, before!.data)
      await updateAddress(work.sql, address, { account: mailbox, enabled: enabled ? 1 : 0 })
      if (enabled) await createIdentity(work.account(mailbox), address, await nameOf(unit, mailbox))
    }
    return { stored: next }
  },

  async destroy({ method, work }, _number, stored) {
    await deleteAddress(work.sql, stored.address)
    await endIdentity(method, work, stored)
    return null
  },
})

const LIMITED: SetError = setError('forbidden', 'The key is limited to some mailboxes or domains.')

function isUnlimited({ mailboxes, domains }: MethodContext['request']['principal']): boolean {
  return mailboxes === 'all' && domains === undefined
}

/** The account that an alias belongs to, or why it cannot. */
async function mailboxFor({ method, unit }: WriteContext<typeof Alias>, mailboxId: string): Promise<number | SetError> {
  const account = method.services.ids.accountNumber('mailbox', mailboxId)
  const found = await findStored(unit, unit.account, MailAccount, account)
  return found && mayUseMailbox(method.request.principal, unit.account, found.id)
    ? found.id
    : invalidProperties(['mailboxId'], 'There is no such mailbox.')
}

async function nameOf(unit: AccountUnit, mailbox: number): Promise<string | null> {
  return (await findStored(unit, unit.account, MailAccount, mailbox))?.data.displayName ?? null
}

async function endIdentity({ services }: MethodContext, work: Unit, alias: StoredOf<typeof Alias>): Promise<void> {
  const mailbox = services.ids.accountNumber('mailbox', alias.mailboxId)!
  await destroyIdentityOf(work.account(mailbox), alias.address)
  await destroyParticipantIdentity(work.account(mailbox), alias.address)
}

/** Accounts whose identities a /set changes: the targets of its aliases, before and after. */
async function mailboxesOf(
  method: MethodContext,
  { create, update, destroy }: SetArguments<typeof Alias>,
): Promise<number[]> {
  const named = [...Object.values(create ?? {}), ...Object.values(update ?? {})].map(({ mailboxId }) => mailboxId)
  const touched = new Set([...Object.keys(update ?? {}), ...(destroy ?? [])])
  const known = await method.read((reader) => listStored(reader, method.account.number, Alias))
  const present = known.filter(({ id }) => touched.has(method.id(Alias, id))).map(({ data }) => data.mailboxId)
  const accounts: number[] = []
  for (const id of new Set([...named, ...present])) {
    const given = typeof id === 'string' ? method.resolveId(id) : ''
    const number = method.services.ids.accountNumber('mailbox', given)
    const row = number === null ? null : await method.read((reader) => findAccount(reader, number))
    if (row?.organization === method.account.number && row.kind === 'mailbox') accounts.push(row.id)
  }
  return accounts
}
