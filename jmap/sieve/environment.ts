/** Input of a Sieve script, which delivery gives (jmap/delivery). */
import type { SieveMessage } from './message.ts'

export interface SieveEnvironment {
  readonly message: SieveMessage
  /** Envelope addresses; '' is the null reverse-path. */
  readonly envelope: { readonly from: string; readonly to: string }
  /** Epoch ms at which the script runs. */
  readonly now: number
  readonly mailboxes: SieveMailboxes
  /** The server's spam score and the account's threshold; null: not scored. */
  readonly spam: { readonly score: number; readonly threshold: number } | null
  /** RFC 7352: whether a key is tracked; null: not looked up yet (see runTracked). */
  isDuplicate(key: string): boolean | null
  readonly settings: { readonly mayRedirect: boolean }
  /** RFC 5183: the name of this host and the domain; addresses of the client, if known. */
  readonly host?: {
    readonly version: string
    readonly name: string
    readonly domain: string
    readonly remoteIp?: string
    readonly remoteHost?: string
  }
}

export interface SieveMailboxes {
  /** The number of the mailbox at a path such as `INBOX` or `Work/2026`; null: there is none. */
  find(path: string): number | null
  /** The number of the mailbox with a role (RFC 8621 2: `junk`). */
  ofRole(role: string): number | null
}
