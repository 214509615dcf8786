/**
 * The authenticated caller. Authentication creates it from a credential; it is passed by value (also between threads) and never comes
 * from a request.
 */
export interface Principal {
  readonly kind: 'apiKey' | 'mailbox' | 'system'
  /** Account number of the organization. 0 for the system. */
  readonly organization: number
  /** Account numbers of the mailboxes that this principal may use, or all of the organization. */
  readonly mailboxes: 'all' | readonly number[]
  /** Whether the principal may use the organization's own account (domains, keys, mailboxes). */
  readonly ownsOrganization: boolean
  /** Numbers of the domains that the principal may know, if it is limited to some (decision D5). */
  readonly domains?: readonly number[]
  /** Scopes of an API key (decision D6); null: unrestricted. */
  readonly scopes: readonly string[] | null
  /** The `username` of the JMAP session and the name in logs. Never a secret. */
  readonly username: string
  /** Id of the credential, by which rate limits count. */
  readonly credential: string
  /** Changes with the secret of the credential; push subscriptions and other long-lived things are bound to it. Never the secret itself. */
  readonly stamp?: string
}

/** The server itself: the queue, retention and other workers. Only code can create it; no credential gives it. */
export const SYSTEM: Principal = {
  kind: 'system',
  organization: 0,
  mailboxes: 'all',
  ownsOrganization: true,
  scopes: null,
  username: 'system',
  credential: 'system',
}

export function mayUseMailbox(principal: Principal, organization: number, account: number): boolean {
  if (principal.kind === 'system') return true
  if (principal.organization !== organization) return false
  return principal.mailboxes === 'all' || principal.mailboxes.includes(account)
}

/**
 * Scopes that another scope gives too. `x:write` does not give `x:read` (decision D5), except here: the contract names no scope for
 * reading audiences, so that either of theirs is enough (decision D6).
 */
const GIVEN_BY: { readonly [scope: string]: string } = { 'audiences:read': 'audiences:write' }

export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: string): boolean {
  return scopes === null || scopes.includes(scope) || scopes.includes(GIVEN_BY[scope] ?? scope)
}

/** Whether it is limited to some mailboxes or domains. What concerns the whole organization is closed to it (decision D31). */
export function isLimited({ mailboxes, domains }: Principal): boolean {
  return mailboxes !== 'all' || domains !== undefined
}
