import { mayUseMailbox } from '../../server/base/principal.ts'
import type { Unit } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { findAddress, insertAddress, saveCredential, saveDomainName } from '../../storage/repos/directory.ts'
import { recalculateReminders } from '../../storage/repos/reminders.ts'
import { requireDefaultCalendar } from '../calendars/calendar/calendars.ts'
import {
  createParticipantIdentity,
  renameParticipantIdentity,
} from '../calendars/participant-identity/participant-identities.ts'
import { isTimeZone } from '../calendars/recurrence/zone-offsets.ts'
import { storeNotice } from '../mail/email/notice.ts'
import type { PreparedEmail } from '../mail/email/store-email.ts'
import { catchAllIdentity, catchAllOf, createIdentity, renameIdentityOf } from '../mail/identity/identity.handlers.ts'
import { MailAccount, type StoredMailAccount } from '../mail/mail-account/mail-account.type.ts'
import { createSystemMailboxes } from '../mail/mailbox/system-mailboxes.ts'
import { keepAutoReply } from '../mail/vacation/auto-reply.ts'
import { baseAddress, domainOf, normaliseAddress } from '../message/mail-address.ts'
import { Domain } from '../policy/domain/domain.type.ts'
import { Organization } from '../policy/organization.type.ts'
import { roomFault } from '../policy/plan.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'
import type { FilterOf } from '../type/derived.ts'
import { hasCondition, isOperator } from '../type/filter.ts'
import type { Handlers, PrepareOutcome, ReadContext, WriteContext } from '../type/handlers.ts'
import { listResult, objectHandlers } from '../type/object-handlers.ts'
import { findStored, listStored, updateStored } from '../type/object-store.ts'
import { deleteMailAccount } from './delete-mail-account.ts'
import { freeAddress } from './free-address.ts'
import { namesItsMailboxes } from './key-limits.ts'
import { preparePasswordNotice } from './password-notice.ts'
import { hashPassword, mailboxCredential } from './secrets.ts'

/** Verifier of a new password; null: the password does not change. */
type Verifier = string | null
/** A new password of a mailbox that is there, and the letter about it. */
interface NewPassword {
  readonly verifier: string
  /** null: the mailbox has gone. */
  readonly notice: PreparedEmail | null
}

const objects = objectHandlers<typeof MailAccount, Verifier, NewPassword | null>(MailAccount, {
  // A key that is limited to some mailboxes cannot see the others, except those that this request creates.
  mayKnow: ({ account, request, services }, number) =>
    mayUseMailbox(request.principal, account.number, number) ||
    request.createdIds.hasMade(services.ids.accountId('mailbox', number)),
  prepareCreate: (_method, { password }) => preparePassword(password),
  async prepareUpdate(method, { password }, id) {
    const made = await preparePassword(password)
    if ('error' in made) return made
    if (made.prepared === null) return { prepared: null }
    const account = method.services.ids.accountNumber('mailbox', id)
    const isOwn = account !== null && (await ownAccounts(method, [id])).length > 0
    return {
      prepared: { verifier: made.prepared, notice: isOwn ? await preparePasswordNotice(method, account) : null },
    }
  },
  accountsOf: (method, { update, destroy }) => ownAccounts(method, [...Object.keys(update ?? {}), ...(destroy ?? [])]),

  async create(write, input, verifier) {
    const { domainId, displayName, autoReply } = input
    const fault = placeFault(input)
    if (fault) return { error: fault }
    if (!(await mayCreateIn(write, domainId)))
      return { error: setError('forbidden', 'The key is limited to other mailboxes.') }
    const { work, unit, method } = write
    if (verifier && !(await maySetPasswords(write))) return { error: NO_PASSWORDS }
    const address = await freeAddress(write, input, async () => {
      const used = (await listStored(unit, unit.account, MailAccount)).length
      return roomFault(unit, method.services.limits, 'mailboxes', used)
    })
    if (typeof address !== 'string') return { error: address }
    const account = await work.createAccount({ kind: 'mailbox', organization: unit.account, name: address })
    await createSystemMailboxes(account)
    await createIdentity(account, address, displayName)
    await requireDefaultCalendar(account)
    await createParticipantIdentity(account, address, displayName)
    if (autoReply.enabled) await keepAutoReply(account, autoReply)
    await insertAddress(work.sql, {
      address,
      account: account.account,
      kind: 'mailbox',
      domain: domainOf(address),
    })
    if (verifier) await keepPassword(work, account.account, verifier)
    const localPart = input.localPart.toLowerCase()
    return { number: account.account, stored: { ...input, localPart, address, suspendedAt: null } }
  },

  async update(write, number, { next, changed, prepared }) {
    const account = write.work.account(number)
    const fault = placeFault(next)
    if (fault) return { error: fault }
    if (prepared) {
      if (!(await maySetPasswords(write))) return { error: NO_PASSWORDS }
      await keepPassword(write.work, number, prepared.verifier)
      if (prepared.notice) await storeNotice(write.method.services, write.work, account, prepared.notice, 'notice')
    }
    if (changed.includes('displayName')) {
      for (const email of [next.address, catchAllIdentity(domainOf(next.address))])
        await renameIdentityOf(account, email, next.displayName)
      await renameParticipantIdentity(account, next.address, next.displayName)
    }
    if (changed.includes('autoReply')) await keepAutoReply(account, next.autoReply)
    if (changed.includes('timezone')) await recalculateReminders(account)
    return { stored: next }
  },

  async destroy({ unit, work, method }, number, { address }) {
    await deleteMailAccount(work, unit, number, address)
    const mailboxId = method.services.ids.accountId('mailbox', number)
    for (const { id, data } of await listStored(unit, unit.account, Domain)) {
      if (data.catchAllMailboxId !== mailboxId) continue
      const { name, status } = data
      await updateStored(unit, Domain, { id, data: { ...data, catchAllMailboxId: null } }, ['catchAllMailboxId'])
      await saveDomainName(work.sql, { name, account: unit.account, object: id, status, catch_all: null })
    }
    return null
  },
})

export const mailAccountHandlers: Handlers<typeof MailAccount, Verifier, NewPassword | null> = {
  ...objects,
  // Uses the address index, so that sending does not read all mailboxes of the organization.
  query: async (read, request) =>
    hasCondition(request.filter, ['sendsAs'])
      ? listResult(await ownerOf(read, request.filter))
      : objects.query!(read, request),
  canCalculateChanges: ({ filter }) => !hasCondition(filter, ['sendsAs']),
}

/** @throws MethodError */
async function ownerOf({ method, reader }: ReadContext, filter: FilterOf<typeof MailAccount> | null) {
  if (filter === null || isOperator(filter) || Object.keys(filter).length !== 1)
    throw new MethodError('unsupportedFilter', 'sendsAs stands alone.')
  const address = normaliseAddress(filter.sendsAs ?? '')
  if (address === null) return []
  const row = (await findAddress(reader, address)) ?? (await findAddress(reader, baseAddress(address)))
  const owner = row?.account ?? (await catchAllOf(reader, domainOf(address)))
  const isOwn = owner !== null && (await findAccount(reader, owner))?.organization === method.account.number
  return isOwn && mayUseMailbox(method.request.principal, method.account.number, owner) ? [owner] : []
}

/** A key that is limited to mailboxes cannot create any. A key that is limited to domains can create them there. */
async function mayCreateIn(write: WriteContext<typeof MailAccount>, domainId: string): Promise<boolean> {
  const { method } = write
  const { domains } = method.request.principal
  const isWithin = domains === undefined || domains.includes(method.number(Domain, domainId) ?? -1)
  return isWithin && !(await namesItsMailboxes(write))
}

function placeFault({ timezone, language }: Pick<StoredMailAccount, 'timezone' | 'language'>): SetError | null {
  if (timezone !== null && !isTimeZone(timezone))
    return invalidProperties(['timezone'], 'timezone is not a name of the IANA time zone database.')
  if (language !== null && !isLanguageTag(language))
    return invalidProperties(['language'], 'language is not a language tag (RFC 5646).')
  return null
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const NO_PASSWORDS = setError('forbidden', 'The organization does not let API keys set passwords.')

/** Decision D31: a key that sets a password can log in with it, so an organization may forbid it. */
async function maySetPasswords({ method, unit }: WriteContext<typeof MailAccount>): Promise<boolean> {
  if (method.request.principal.kind !== 'apiKey') return true
  const own = await findStored(unit, unit.account, Organization, unit.account)
  return own?.data.passwordsByApi !== false
}

async function preparePassword(password: unknown): Promise<PrepareOutcome<Verifier>> {
  if (password === undefined || password === null) return { prepared: null }
  const fits = typeof password === 'string' && password.length >= 8 && password.length <= 128
  if (!fits || !/[a-z]/.test(password) || !/[A-Z]/.test(password) || !/[0-9]/.test(password))
    return {
      error: invalidProperties(
        ['password'],
        'A password has 8 to 128 characters with a lower-case letter, a capital and a digit.',
      ),
    }
  return { prepared: await hashPassword(password) }
}

async function keepPassword(work: Unit, account: number, verifier: string): Promise<void> {
  const hash = mailboxCredential(account)
  await saveCredential(work.sql, { hash, account, object: account, verifier, created_at: work.now })
}

/** The accounts of the ids that belong to this organization: their rows are locked together with its own. */
async function ownAccounts(method: MethodContext, ids: readonly string[]): Promise<number[]> {
  const accounts: number[] = []
  for (const id of ids) {
    const number = method.services.ids.accountNumber('mailbox', method.resolveId(id))
    const row = number === null ? null : await method.read((reader) => findAccount(reader, number))
    if (row?.organization === method.account.number) accounts.push(row.id)
  }
  return accounts
}
