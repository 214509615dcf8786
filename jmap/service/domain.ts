/** Domain: a name that an organization receives and sends mail for (decision D7). DNS checks come to it from outside. */

import { DOMAIN_CHECK_PENDING_MS } from '../../server/base/domain-limits.ts'
import { mayUseMailbox } from '../../server/base/principal.ts'
import { deleteAddress, deleteDomainName, findDomainName, saveDomainName } from '../../storage/repos/directory.ts'
import { removeCheck, scheduleCheck } from '../../storage/repos/domain-checks.ts'
import { deleteObject, findObject, listObjects, type StoredObject } from '../../storage/repos/objects.ts'
import { SERVICE } from '../capabilities.ts'
import { normaliseDomain } from '../mail/addresses.ts'
import { destroyIdentityOf } from '../mail/identity/rules.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { defineType } from '../type/define-type.ts'
import { objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'
import type { WriteContext } from '../type/rules.ts'
import { type MadeDkimKey, makeDkimKey, publicOf } from './domain/dkim-keys.ts'
import { keepDkimKey, removeDkimKeys } from './domain/dkim-store.ts'
import { isReserved, registrableOf } from './domain/names.ts'
import { relayHostOf, sealRelay } from './domain/relay.ts'
import { type DomainStatus, isVerifiedStatus } from './domain/state.ts'
import { presentRecords, type StoredDomain, showKey } from './domain/stored.ts'
import { endMailAccount } from './mail-account-end.ts'

export { dkimKeysOf } from './domain/dkim-store.ts'
export { isVerifiedStatus } from './domain/state.ts'

/** Milliseconds until the first check that nobody asks for: time to write the records. */
const FIRST_CHECK_MS = DOMAIN_CHECK_PENDING_MS[0].every

export const Domain = defineType({
  name: 'Domain',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'Domain',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ min: 1, max: 253 }).fixed(),
    status: p.oneOf(['pending', 'verified', 'degraded', 'failed']).server(),
    managedBy: p.oneOf(['external', 'service']).server(),
    dnsProvider: p.string().server(),
    mxVerified: p.bool().server(),
    spfVerified: p.bool().server(),
    dkimVerified: p.bool().server(),
    dmarcVerified: p.bool().server(),
    outboundVerified: p.bool().server(),
    dmarcManagedExternally: p.bool().defaults(false),
    catchAllMailboxId: p.id().nullable().defaults(null),
    verifiedAt: p.utcDate().nullable().server(),
    dkim: p.json({ type: ['object', 'null'] }).server(),
    // smtp://user:password@host:port; where mail of the domain goes. relayHost is what can be read of it.
    relayUrl: p.string({ max: 1_000 }).nullable().secret(),
    relayHost: p.string().nullable().server(),
    // checkedAt, allVerified and the records with what was found of each (jmap/service/domain/stored.ts).
    dnsRecords: p.json({ type: 'object' }).server().onRequest(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), name: p.string(), status: p.string() },
  sorts: ['name', 'createdAt'],
  args: { set: { onDestroyRemoveMailAccounts: p.bool().defaults(false) } },
  scopes: { read: 'domains:read', write: 'domains:write' },
})

function relayFault(url: Json | undefined): SetError | null {
  if (url === undefined || url === null || relayHostOf(url as string) !== null) return null
  return invalidProperties(['relayUrl'], 'It has to be smtp://[user:password@]host[:port] or smtps://...')
}

interface PreparedDomain {
  readonly name: string
  readonly keys: readonly MadeDkimKey[]
}

export const domainRules = objectRules(Domain, {
  // A key that is limited to some domains does not know the others.
  mayKnow: ({ request }, number) => request.principal.domains?.includes(number) ?? true,

  async prepareCreate(_method, input) {
    const name = typeof input['name'] === 'string' ? normaliseDomain(input['name']) : null
    // An address, one label alone and names that lead to this very machine are no mail domains.
    if (name === null || !name.includes('.') || /^[0-9.]+$/.test(name) || /(^|\.)localhost$/.test(name))
      return { error: invalidProperties(['name'], 'It is not a domain name that can receive mail.') }
    if (registrableOf(name) === null)
      return { error: invalidProperties(['name'], 'It is a public suffix: names are registered below it.') }
    const keys = await Promise.all([makeDkimKey('rsa'), makeDkimKey('ed25519')])
    return { prepared: { name, keys } satisfies PreparedDomain }
  },

  async create({ unit, method }, input, prepared) {
    if (method.request.principal.domains)
      return { error: setError('forbidden', 'The key is limited to other domains.') }
    // It has no mailboxes yet.
    if (input['catchAllMailboxId'] !== null)
      return { error: invalidProperties(['catchAllMailboxId'], 'It is not a mailbox of this domain.') }
    const { name, keys } = prepared as PreparedDomain
    const claims = await findDomainName(unit, name)
    const own = claims.find((claim) => claim.account === unit.account)
    if (own) return { error: alreadyExists(method.id('Domain', own.object), `The domain ${name} is there already.`) }
    // Whoever has the machine (setup on its command line) needs no DNS to prove what it receives mail for.
    const trusted = method.request.principal.kind === 'system'
    const verified = trusted || (method.services.verifyReservedDomains && isReserved(name))
    // A name that another organization has verified stays theirs until this one proves otherwise (decision D7).
    const status = verified && !claims.some((claim) => isVerifiedStatus(claim.status)) ? 'verified' : 'pending'
    const fault = relayFault(input['relayUrl'])
    if (fault) return { error: fault }
    const number = unit.nextObject()
    await saveDomainName(unit.sql, { name, account: unit.account, object: number, status, catch_all: null })
    for (const key of keys) await keepDkimKey(unit, number, key, method.services.keyring)
    await scheduleCheck(unit.sql, { account: unit.account, domain: number, due_at: unit.now + FIRST_CHECK_MS })
    const { relayUrl = null, ...given } = input
    const relay = sealRelay(method.services.keyring, unit.account, number, relayUrl as string | null)
    return { number, stored: { ...given, ...freshDomain(name, keys, status, unit.now), relay } as JsonObject }
  },

  async update({ unit, method }, number, { next, changed }) {
    const name = next['name'] as string
    const catchAllId = next['catchAllMailboxId'] as string | null
    const catchAll = catchAllId === null ? null : (method.services.ids.decode('MailAccount', catchAllId)?.account ?? -1)
    if (catchAll !== null && changed.includes('catchAllMailboxId')) {
      // What a key that is limited to mailboxes may not use is to it as if it were not there.
      const mayUse = mayUseMailbox(method.request.principal, unit.account, catchAll)
      const account = mayUse ? await findObject(unit, unit.account, 'MailAccount', catchAll) : null
      if (account?.data['domainId'] !== method.id('Domain', number))
        return { error: invalidProperties(['catchAllMailboxId'], 'It is not a mailbox of this domain.') }
    }
    const status = next['status'] as string
    await saveDomainName(unit.sql, { name, account: unit.account, object: number, status, catch_all: catchAll })
    // Whoever says that it is not managed elsewhere wants our record there; nobody knows better than DNS where it is.
    const wantsOwnDmarc = changed.includes('dmarcManagedExternally')
      ? { wantsOwnDmarc: !next['dmarcManagedExternally'] }
      : {}
    const fault = relayFault(next['relayUrl'])
    if (fault) return { error: fault }
    const { dnsRecords: _computed, relayHost: _shown, relayUrl, ...kept } = next
    const { keyring } = method.services
    const relay =
      relayUrl === undefined ? {} : { relay: sealRelay(keyring, unit.account, number, relayUrl as string | null) }
    return { stored: { ...kept, ...wantsOwnDmarc, ...relay } as JsonObject }
  },

  /** What is to go with it is locked with it: its mailboxes, and those of other domains that its aliases lead to. */
  async accountsOf(method, args) {
    if (args['onDestroyRemoveMailAccounts'] !== true) return []
    const ids = ((args['destroy'] ?? []) as string[]).map((id) => {
      const resolved = method.request.createdIds.resolveId(id)
      return 'unknown' in resolved ? id : resolved.value
    })
    return method.read(async (reader) => {
      const mailboxes = await listObjects(reader, method.account.number, 'MailAccount')
      const aliases = await listObjects(reader, method.account.number, 'Alias')
      const isOf = ({ data }: StoredObject) => ids.includes(data['domainId'] as string)
      const targets = new Set(aliases.filter(isOf).map(({ data }) => data['mailboxId']))
      const idOf = (number: number) => method.services.ids.encode('MailAccount', number)
      return mailboxes.filter((mailbox) => isOf(mailbox) || targets.has(idOf(mailbox.id))).map(({ id }) => id)
    })
  },

  async destroy(write, number, stored) {
    const { unit, method } = write
    const refusal = await removeAddresses(write, method.id('Domain', number))
    if (refusal) return refusal
    await deleteDomainName(unit.sql, stored['name'] as string, unit.account)
    await removeCheck(unit.sql, unit.account, number)
    await removeDkimKeys(unit, number)
    return null
  },

  present: ({ services }, stored) => ({
    relayHost: (stored['relay'] as { host: string } | null | undefined)?.host ?? null,
    dnsRecords: presentRecords(stored as unknown as StoredDomain, services.hosting),
  }),
})

function freshDomain(name: string, keys: readonly MadeDkimKey[], status: DomainStatus, now: number): JsonObject {
  const isVerified = status === 'verified'
  const rsa = keys.find(({ algorithm }) => algorithm === 'rsa')!
  return {
    name,
    status,
    managedBy: 'external',
    dnsProvider: 'manual',
    mxVerified: isVerified,
    spfVerified: isVerified,
    dkimVerified: isVerified,
    dmarcVerified: isVerified,
    outboundVerified: isVerified,
    verifiedAt: isVerified ? formatUTCDate(now) : null,
    dkim: showKey(name, rsa),
    dkimKeys: keys.map((key) => ({ ...publicOf(key) })),
    check: null,
    isTrusted: isVerified,
  }
}

/** A domain goes alone, unless the caller says that its mailboxes and aliases go with it. */
async function removeAddresses(write: WriteContext, domainId: string): Promise<SetError | null> {
  const { unit, work, method, args } = write
  const isOf = ({ data }: StoredObject) => data['domainId'] === domainId
  const mailboxes = (await listObjects(unit, unit.account, 'MailAccount')).filter(isOf)
  const aliases = (await listObjects(unit, unit.account, 'Alias')).filter(isOf)
  if (mailboxes.length === 0 && aliases.length === 0) return null
  if (args['onDestroyRemoveMailAccounts'] !== true)
    return setError('forbidden', 'The domain still has mailboxes or aliases.')
  const targets = aliases.map(({ data }) => method.services.ids.decode('MailAccount', data['mailboxId'] as string))
  const accounts = [...mailboxes.map(({ id }) => id), ...targets.map((target) => target!.account)]
  if (accounts.some((account) => !mayUseMailbox(method.request.principal, unit.account, account)))
    return setError('forbidden', 'The key is limited to other mailboxes.')
  for (const [i, { id, data }] of aliases.entries()) {
    const address = data['address'] as string
    await deleteAddress(work.sql, address)
    await destroyIdentityOf(work.account(targets[i]!.account), address)
    await deleteObject(unit, unit.account, 'Alias', id)
    unit.change('Alias', id, 'd')
  }
  for (const { id, data } of mailboxes) {
    await endMailAccount(work, unit, id, data['address'] as string)
    await deleteObject(unit, unit.account, 'MailAccount', id)
    unit.change('MailAccount', id, 'd')
  }
  return null
}
