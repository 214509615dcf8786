/** The session resource: RFC 8620 2, RFC 8621 1.3. */
import { hash } from 'node:crypto'
import { mayUseMailbox, type Principal } from '../server/base/principal.ts'
import { statesOf } from '../storage/change-log.ts'
import { findAccount, listAccounts } from '../storage/repos/accounts.ts'
import type { AccountTable } from '../storage/schema/tables.ts'
import {
  BLOB,
  CORE,
  MAIL,
  QUOTA,
  SERVICE,
  SIEVE,
  SUBMISSION,
  VACATION_RESPONSE,
  WEBPUSH_VAPID,
  WEBSOCKET,
} from './capabilities.ts'
import type { Services } from './context.ts'
import { blobCapability } from './core/blob/blob-capability.ts'
import { Email } from './mail/email/email.type.ts'
import { Mailbox } from './mail/mailbox/mailbox.type.ts'
import { SIEVE_ACCOUNT_CAPABILITY, SIEVE_CAPABILITY } from './mail/sieve-script/capability.ts'
import type { JsonObject } from './protocol/json.ts'
import { isReadOnly, type Registry, usableMethods } from './registry.ts'
import type { RequestReads } from './request-reads.ts'
import { COLLATIONS } from './type/methods/query.ts'

/** Those that have nothing to say but in the accounts. */
const OWN = [MAIL, SUBMISSION, VACATION_RESPONSE, SIEVE, BLOB, QUOTA, SERVICE]

/** @param baseUrl scheme and host, without a slash at the end: all URLs are absolute (pitfall 1). */
export async function describeSession(
  services: Services,
  registry: Registry,
  principal: Principal,
  baseUrl: string,
): Promise<JsonObject> {
  const rows = await visibleAccounts(services, principal)
  const accounts = rows.map((row) => ({
    id: services.ids.encode(row.kind === 'mailbox' ? 'MailAccount' : 'Organization', row.id),
    ...describeAccount(services, registry, principal, row),
  }))
  // The first in which the capability can be used at all.
  const primary = OWN.flatMap((capability) => {
    const kind = capability === SERVICE ? 'organization' : 'mailbox'
    const found = accounts.find((account) => account.kind === kind && capability in account.shown.accountCapabilities)
    return found ? [[capability, found.id] as const] : []
  })
  return {
    capabilities: {
      [CORE]: coreCapability(services),
      ...Object.fromEntries(OWN.map((capability) => [capability, {}])),
      [SIEVE]: SIEVE_CAPABILITY,
      // RFC 8887 3
      [WEBSOCKET]: { url: `${baseUrl.replace(/^http/, 'ws')}/jmap/ws`, supportsPush: true },
      // RFC 9749 3
      [WEBPUSH_VAPID]: { applicationServerKey: services.vapidKeys.publicKey },
    },
    accounts: Object.fromEntries(accounts.map(({ id, shown }) => [id, shown])),
    // RFC 8620 2: the core capability is not among them.
    primaryAccounts: Object.fromEntries(primary),
    username: principal.username,
    apiUrl: `${baseUrl}/jmap/api`,
    downloadUrl: `${baseUrl}/jmap/download/{accountId}/{blobId}/{name}?type={type}`,
    uploadUrl: `${baseUrl}/jmap/upload/{accountId}`,
    eventSourceUrl: `${baseUrl}/jmap/eventsource?types={types}&closeafter={closeafter}&ping={ping}`,
    state: await sessionState(services, services.store, principal),
  }
}

function coreCapability({ limits }: Services): JsonObject {
  return {
    maxSizeUpload: limits.maxSizeUpload,
    maxConcurrentUpload: limits.maxConcurrentUpload,
    maxSizeRequest: limits.maxSizeRequest,
    maxConcurrentRequests: limits.maxConcurrentRequests,
    maxCallsInRequest: limits.maxCallsInRequest,
    maxObjectsInGet: limits.maxObjectsInGet,
    maxObjectsInSet: limits.maxObjectsInSet,
    collationAlgorithms: [...COLLATIONS],
  }
}

function describeAccount(services: Services, registry: Registry, principal: Principal, row: AccountTable) {
  // RFC 8620 2: a capability is there if and only if the user may use methods of it in this account.
  const usable = usableMethods(registry, principal, row.kind)
  const capabilities = [CORE, ...new Set(usable.map(({ capability }) => capability))]
  return {
    kind: row.kind,
    shown: {
      name: row.name,
      isPersonal: principal.kind === 'mailbox' || row.kind === 'organization',
      isReadOnly: isReadOnly(registry, principal, row.kind),
      accountCapabilities: Object.fromEntries(
        capabilities.map((capability) => [capability, accountCapability(services, principal, capability)]),
      ),
    },
  }
}

function accountCapability({ limits }: Services, { scopes }: Principal, capability: string): JsonObject {
  if (capability === BLOB) return blobCapability(limits)
  if (capability === SIEVE) return SIEVE_ACCOUNT_CAPABILITY
  if (capability === MAIL)
    return {
      maxMailboxesPerEmail: limits.maxMailboxesPerEmail,
      maxMailboxDepth: limits.maxMailboxDepth,
      maxSizeMailboxName: limits.maxSizeMailboxName,
      maxSizeAttachmentsPerEmail: limits.maxSizeAttachmentsPerEmail,
      emailQuerySortOptions: [...Email.sorts!],
      mayCreateTopLevelMailbox: scopes === null || scopes.includes(Mailbox.scopes.write),
    }
  if (capability === SUBMISSION)
    return {
      maxDelayedSend: limits.maxDelayedSend,
      submissionExtensions: { FUTURERELEASE: [], SIZE: [String(limits.maxSizeMessage)], DSN: [] },
    }
  return {}
}

async function visibleAccounts(services: Services, principal: Principal): Promise<AccountTable[]> {
  return services.store.read(async (reader) => {
    const mailboxes = await listAccounts(reader, { kind: 'mailbox', organization: principal.organization })
    const own = principal.ownsOrganization ? await findAccount(reader, principal.organization) : null
    return [...(own ? [own] : []), ...mailboxes.filter((row) => mayUseMailbox(principal, row.organization, row.id))]
  })
}

/**
 * RFC 8620 3.4: changes whenever the session does: accounts come and go with MailAccount objects, names with the Organization, and
 * what a key may use with the key, limits with the configuration.
 */
export async function sessionState(
  { limits }: Pick<Services, 'limits'>,
  reads: Pick<RequestReads, 'read'>,
  principal: Principal,
): Promise<string> {
  if (principal.kind === 'system') return '0'
  const { organization } = principal
  return reads.read(async (reader) => {
    const [accounts, names] = await statesOf(reader, organization, ['MailAccount', 'Organization'])
    return `${accounts}-${names}-${tagOf(reachTags, principal, reachOf)}-${tagOf(limitTags, limits)}`
  })
}

/** Principals live as long as authentication remembers them, limits as long as the core: each is hashed once. */
const reachTags = new WeakMap<Principal, string>()
const limitTags = new WeakMap<Services['limits'], string>()

function reachOf({ username, mailboxes, scopes }: Principal): unknown {
  return [username, mailboxes, scopes]
}

function tagOf<T extends object>(tags: WeakMap<T, string>, of: T, content: (of: T) => unknown = (it) => it): string {
  let tag = tags.get(of)
  if (tag === undefined) {
    tag = hash('sha256', JSON.stringify(content(of)), 'base64url').slice(0, 8)
    tags.set(of, tag)
  }
  return tag
}
