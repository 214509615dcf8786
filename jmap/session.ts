/** The session resource: RFC 8620 2, RFC 8621 1.3. */
import type { Principal } from '../server/base/principal.ts'
import { mayUseMailbox } from '../server/base/principal.ts'
import { stateOf } from '../storage/change-log.ts'
import { findAccount, listAccounts } from '../storage/repos/accounts.ts'
import type { AccountTable } from '../storage/schema/tables.ts'
import { CORE, MAIL, SERVICE, SUBMISSION } from './capabilities.ts'
import type { Services } from './context.ts'
import type { JsonObject } from './core.ts'
import { Email } from './mail/email/email.type.ts'

const COLLATIONS = ['i;ascii-casemap', 'i;octet', 'i;unicode-casemap']

/** @param baseUrl scheme and host, without a slash at the end: all URLs are absolute (jmap.md, pitfall 1). */
export async function describeSession(services: Services, principal: Principal, baseUrl: string): Promise<JsonObject> {
  const accounts = await visibleAccounts(services, principal)
  const { limits, ids } = services
  const mailboxes = accounts.filter(({ kind }) => kind === 'mailbox')
  const organizations = accounts.filter(({ kind }) => kind === 'organization')
  const idOf = (account: AccountTable) =>
    ids.encode(account.kind === 'mailbox' ? 'MailAccount' : 'Organization', account.id)
  const [first] = mailboxes
  const [organization] = organizations
  return {
    capabilities: {
      [CORE]: {
        maxSizeUpload: limits.maxSizeUpload,
        maxConcurrentUpload: limits.maxConcurrentUpload,
        maxSizeRequest: limits.maxSizeRequest,
        maxConcurrentRequests: limits.maxConcurrentRequests,
        maxCallsInRequest: limits.maxCallsInRequest,
        maxObjectsInGet: limits.maxObjectsInGet,
        maxObjectsInSet: limits.maxObjectsInSet,
        collationAlgorithms: COLLATIONS,
      },
      [MAIL]: {},
      [SUBMISSION]: {},
      [SERVICE]: {},
    },
    accounts: Object.fromEntries(
      accounts.map((account) => [
        idOf(account),
        {
          name: account.name,
          isPersonal: principal.kind === 'mailbox' || account.kind === 'organization',
          isReadOnly: false,
          accountCapabilities: account.kind === 'mailbox' ? mailCapabilities(services) : { [CORE]: {}, [SERVICE]: {} },
        },
      ]),
    ),
    primaryAccounts: {
      ...(first && { [MAIL]: idOf(first), [SUBMISSION]: idOf(first) }),
      ...(organization && { [SERVICE]: idOf(organization) }),
    },
    username: principal.username,
    apiUrl: `${baseUrl}/jmap/api`,
    downloadUrl: `${baseUrl}/jmap/download/{accountId}/{blobId}/{name}?type={type}`,
    uploadUrl: `${baseUrl}/jmap/upload/{accountId}`,
    eventSourceUrl: `${baseUrl}/jmap/eventsource?types={types}&closeafter={closeafter}&ping={ping}`,
    state: await sessionState(services, principal),
  }
}

function mailCapabilities({ limits }: Services): JsonObject {
  return {
    [CORE]: {},
    [MAIL]: {
      maxMailboxesPerEmail: limits.maxMailboxesPerEmail,
      maxMailboxDepth: limits.maxMailboxDepth,
      maxSizeMailboxName: limits.maxSizeMailboxName,
      maxSizeAttachmentsPerEmail: limits.maxSizeAttachmentsPerEmail,
      emailQuerySortOptions: [...Email.sorts!],
      mayCreateTopLevelMailbox: true,
    },
    [SUBMISSION]: {
      maxDelayedSend: limits.maxDelayedSend,
      submissionExtensions: { FUTURERELEASE: [], SIZE: [], DSN: [] },
    },
    [SERVICE]: {},
  }
}

async function visibleAccounts(services: Services, principal: Principal): Promise<AccountTable[]> {
  return services.store.read(async (reader) => {
    const mailboxes = await listAccounts(reader, { kind: 'mailbox', organization: principal.organization })
    const own = principal.ownsOrganization ? await findAccount(reader, principal.organization) : null
    return [...(own ? [own] : []), ...mailboxes.filter((row) => mayUseMailbox(principal, row.organization, row.id))]
  })
}

/** RFC 8620 3.4: changes whenever the session does: accounts come and go with MailAccount objects, names with the Organization. */
export async function sessionState(services: Services, principal: Principal): Promise<string> {
  if (principal.kind === 'system') return '0'
  const { organization } = principal
  return services.store.read(async (reader) => {
    const [accounts, own] = [
      await stateOf(reader, organization, 'MailAccount'),
      await stateOf(reader, organization, 'Organization'),
    ]
    return `${accounts}-${own}`
  })
}
