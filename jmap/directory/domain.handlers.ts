/** Handlers of Domain. DNS checks also change domains (jmap/policy/domain/check.ts). */
import { DOMAIN_CHECK_PENDING_MS } from '../../server/base/domain-limits.ts'
import { mayUseMailbox } from '../../server/base/principal.ts'
import type { Reader } from '../../storage/ports.ts'
import { deleteAddress, deleteDomainName, findDomainName, saveDomainName } from '../../storage/repos/directory.ts'
import { removeCheck, scheduleCheck } from '../../storage/repos/domain-checks.ts'
import { destroyParticipantIdentity } from '../calendars/participant-identity/participant-identities.ts'
import { destroyIdentityOf } from '../mail/identity/identity.handlers.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { normaliseDomain } from '../message/mail-address.ts'
import { accessFault, sealAccess } from '../policy/dns/access.ts'
import { planRemoval } from '../policy/dns/sync-records.ts'
import { type MadeDkimKey, makeDkimKey } from '../policy/domain/dkim-keys.ts'
import { keepDkimKey, removeDkimKeys } from '../policy/domain/dkim-store.ts'
import { Domain, type WrittenDnsAccess } from '../policy/domain/domain.type.ts'
import { freshDomain } from '../policy/domain/fresh-domain.ts'
import { isReserved, registrableOf } from '../policy/domain/names.ts'
import { relayHostOf, sealRelay } from '../policy/domain/relay.ts'
import { isVerifiedStatus } from '../policy/domain/state.ts'
import { presentRecords } from '../policy/domain/stored.ts'
import { endRegistration, resumeRenewal } from '../policy/registration/lifecycle.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { WriteContext } from '../type/handlers.ts'
import { objectHandlers } from '../type/object-handlers.ts'
import { deleteStored, findStored, listStored } from '../type/object-store.ts'
import { Alias } from './alias.type.ts'
import { catchAllsOf, moveCatchAllIdentity } from './catch-all.ts'
import { deleteMailAccount } from './delete-mail-account.ts'
import { namesItsMailboxes } from './key-limits.ts'

/** Milliseconds until the first automatic check: time to publish the records. */
const FIRST_CHECK_MS = DOMAIN_CHECK_PENDING_MS[0].every

/** Decision D31 */
const MAILBOXES_ONLY = setError('forbidden', 'A key that is limited to mailboxes adds and changes no domains.')

function relayFault(url: string | null | undefined): SetError | null {
  if (url === undefined || url === null || relayHostOf(url) !== null) return null
  return invalidProperties(['relayUrl'], 'It has to be smtp://[user:password@]host[:port] or smtps://...')
}

function credentialsFault(written: WrittenDnsAccess | null, name: string): SetError | null {
  const words = written && accessFault(written, name)
  return words === null ? null : invalidProperties(['dnsCredentials'], words)
}

/** Only domains that were bought here are renewed here. */
function renewalFault(autoRenew: boolean | null | undefined, managedBy: string | null): SetError | null {
  const isRight = managedBy === 'service' ? typeof autoRenew === 'boolean' : (autoRenew ?? null) === null
  return isRight ? null : invalidProperties(['autoRenew'], 'Only a domain that was registered here is renewed here.')
}

interface PreparedDomain {
  readonly name: string
  readonly keys: readonly MadeDkimKey[]
}

export const domainHandlers = objectHandlers<typeof Domain, PreparedDomain, undefined>(Domain, {
  // A key that is limited to some domains cannot see the others.
  mayKnow: ({ request }, number) => request.principal.domains?.includes(number) ?? true,

  async prepareCreate(_method, input) {
    const name = normaliseDomain(input.name)
    // IP addresses, single labels and names of this machine are not mail domains.
    if (name === null || !name.includes('.') || /^[0-9.]+$/.test(name) || /(^|\.)localhost$/.test(name))
      return { error: invalidProperties(['name'], 'It is not a domain name that can receive mail.') }
    if (registrableOf(name) === null)
      return { error: invalidProperties(['name'], 'It is a public suffix: names are registered below it.') }
    return { prepared: { name, keys: await Promise.all([makeDkimKey('rsa'), makeDkimKey('ed25519')]) } }
  },

  async create(write, input, { name, keys }) {
    const { unit, method } = write
    if (method.request.principal.domains)
      return { error: setError('forbidden', 'The key is limited to other domains.') }
    if (await namesItsMailboxes(write)) return { error: MAILBOXES_ONLY }
    // A new domain has no mailboxes.
    if (input.catchAllMailboxId !== null)
      return { error: invalidProperties(['catchAllMailboxId'], 'It is not a mailbox of this domain.') }
    const claims = await findDomainName(unit, name)
    const own = claims.find((claim) => claim.account === unit.account)
    if (own) return { error: alreadyExists(method.id(Domain, own.object), `The domain ${name} is there already.`) }
    // A name that another organization has verified stays theirs until this one proves ownership (decision D7).
    const isFree = !claims.some((claim) => isVerifiedStatus(claim.status))
    const isVerified = isFree && method.services.verifyReservedDomains && isReserved(name)
    // An administrator (setup on the command line) need not prove by DNS which domains this server hosts. The DNS records are reported
    // separately.
    const isTrusted = isVerified || (isFree && method.request.principal.kind === 'system')
    const { relayUrl = null, dnsCredentials = null, ...given } = input
    const fault = relayFault(relayUrl) ?? credentialsFault(dnsCredentials, name) ?? renewalFault(given.autoRenew, null)
    if (fault) return { error: fault }
    const number = unit.nextObject()
    const { keyring } = method.services
    const relay = sealRelay(keyring, unit.account, number, relayUrl)
    const dnsAccess = dnsCredentials && sealAccess(keyring, unit.account, number, name, dnsCredentials)
    const stored = { ...given, ...freshDomain(name, keys, isVerified, unit.now), isTrusted, relay, dnsAccess }
    const { status } = stored
    await saveDomainName(unit.sql, { name, account: unit.account, object: number, status, catch_all: null })
    for (const key of keys) await keepDkimKey(unit, number, key, keyring)
    await scheduleCheck(unit.sql, { account: unit.account, domain: number, due_at: unit.now + FIRST_CHECK_MS })
    return { number, stored }
  },

  async update(write, number, { next, changed }) {
    if (await namesItsMailboxes(write)) return { error: MAILBOXES_ONLY }
    const { unit, method } = write
    const { name, status, catchAllMailboxId, relayUrl, dnsCredentials, autoRenew } = next
    const { ids, keyring } = method.services
    const catchAll = catchAllMailboxId === null ? null : (ids.accountNumber('mailbox', catchAllMailboxId) ?? -1)
    if (catchAll !== null && changed.includes('catchAllMailboxId')) {
      // For a limited key, a mailbox that it may not use does not exist.
      const mayUse = mayUseMailbox(method.request.principal, unit.account, catchAll)
      const account = mayUse ? await findStored(unit, unit.account, MailAccount, catchAll) : null
      if (account?.data.domainId !== method.id(Domain, number))
        return { error: invalidProperties(['catchAllMailboxId'], 'It is not a mailbox of this domain.') }
    }
    const fault =
      relayFault(relayUrl) ?? credentialsFault(dnsCredentials ?? null, name) ?? renewalFault(autoRenew, next.managedBy)
    if (fault) return { error: fault }
    if (changed.includes('autoRenew')) await resumeRenewal(unit, number)
    if (changed.includes('catchAllMailboxId')) await moveCatchAllIdentity(write, name, catchAll)
    await saveDomainName(unit.sql, { name, account: unit.account, object: number, status, catch_all: catchAll })
    return {
      stored: {
        ...next,
        // An owner who switches "managed externally" off wants our DMARC record; DNS shows whether it is published.
        ...(changed.includes('dmarcManagedExternally') && { wantsOwnDmarc: !next.dmarcManagedExternally }),
        ...(relayUrl !== undefined && { relay: sealRelay(keyring, unit.account, number, relayUrl) }),
        ...(dnsCredentials !== undefined && {
          dnsAccess: dnsCredentials && sealAccess(keyring, unit.account, number, name, dnsCredentials),
        }),
      },
    }
  },

  /** Accounts to lock: the domain's mailboxes, the mailboxes of other domains that its aliases belong to, and its old and new catch-all. */
  async accountsOf(method, { onDestroyRemoveMailAccounts, destroy, update }) {
    const catchAlls = await catchAllsOf(method, update ?? {})
    if (!onDestroyRemoveMailAccounts) return catchAlls
    const ids = (destroy ?? []).map((id) => method.resolveId(id))
    return method.read(async (reader) => {
      const { mailboxes, aliases } = await addressesOf(reader, method.account.number, ids)
      const targets = aliases.map(({ data }) => method.services.ids.accountNumber('mailbox', data.mailboxId)!)
      return [...new Set([...catchAlls, ...mailboxes.map(({ id }) => id), ...targets])]
    })
  },

  async destroy(write, number, stored) {
    if (await namesItsMailboxes(write)) return MAILBOXES_ONLY
    const { unit, method } = write
    const { name } = stored
    if (stored.status === 'registering')
      return setError('invalidState', 'The domain is being registered: it can be deleted when that is done.')
    const refusal = await removeAddresses(write, method.id(Domain, number))
    if (refusal) return refusal
    await deleteDomainName(unit.sql, name, unit.account)
    await removeCheck(unit.sql, unit.account, number)
    await removeDkimKeys(unit, number)
    await endRegistration(unit, number)
    await planRemoval(unit, number, stored)
    return null
  },

  present: ({ services }, stored) => ({
    relayHost: stored.relay?.host ?? null,
    dnsApi: stored.dnsAccess?.provider ?? (stored.managedBy === 'service' ? stored.dnsProvider : null),
    dnsRecords: presentRecords(stored, services.hosting),
  }),
})

/** Mailboxes and aliases of some domains. */
async function addressesOf(reader: Reader, organization: number, domainIds: readonly string[]) {
  const mailboxes = await listStored(reader, organization, MailAccount)
  const aliases = await listStored(reader, organization, Alias)
  return {
    mailboxes: mailboxes.filter(({ data }) => domainIds.includes(data.domainId)),
    aliases: aliases.filter(({ data }) => domainIds.includes(data.domainId)),
  }
}

/** Destroys the domain's mailboxes and aliases if the caller asks for it; otherwise refuses. */
async function removeAddresses(write: WriteContext<typeof Domain>, domainId: string): Promise<SetError | null> {
  const { unit, work, method, args } = write
  const { mailboxes, aliases } = await addressesOf(unit, unit.account, [domainId])
  if (mailboxes.length === 0 && aliases.length === 0) return null
  if (!args.onDestroyRemoveMailAccounts) return setError('forbidden', 'The domain still has mailboxes or aliases.')
  const targetOf = (mailboxId: string) => method.services.ids.accountNumber('mailbox', mailboxId)!
  const accounts = [...mailboxes.map(({ id }) => id), ...aliases.map(({ data }) => targetOf(data.mailboxId))]
  if (accounts.some((account) => !mayUseMailbox(method.request.principal, unit.account, account)))
    return setError('forbidden', 'The key is limited to other mailboxes.')
  for (const { id, data } of aliases) {
    await deleteAddress(work.sql, data.address)
    await destroyIdentityOf(work.account(targetOf(data.mailboxId)), data.address)
    await destroyParticipantIdentity(work.account(targetOf(data.mailboxId)), data.address)
    await deleteStored(unit, Alias, id)
  }
  for (const { id, data } of mailboxes) {
    await deleteMailAccount(work, unit, id, data.address)
    await deleteStored(unit, MailAccount, id)
  }
  return null
}
