/**
 * Who asks. Made by authentication from a credential, handed down by value (it crosses threads), never by a request's own words.
 */
export interface Principal {
  readonly kind: 'apiKey' | 'mailbox' | 'system'
  /** Account number of the organization. 0 for the system. */
  readonly organization: number
  /** Mailbox accounts this principal may use: their account numbers, or all of the organization. */
  readonly mailboxes: 'all' | readonly number[]
  /** Whether the organization's own account (domains, keys, mailboxes) is open to it. */
  readonly ownsOrganization: boolean
  /** Numbers of the domains it may know of, when it is limited to some (decision D5). */
  readonly domains?: readonly number[]
  /** Scopes of an API key (decision D6); null: unrestricted. */
  readonly scopes: readonly string[] | null
  /** What a JMAP session shows as `username`, and what logs name. Never a secret. */
  readonly username: string
  /** Id of the credential: rate limits count by it. */
  readonly credential: string
  /** Changes with the secret behind the credential: what outlives a request (push) is tied to it. Never the secret itself. */
  readonly stamp?: string
}

/** The server itself: the queue, retention and other workers. Only code can make it; no credential leads to it. */
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
