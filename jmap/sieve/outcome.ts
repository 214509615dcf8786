/**
 * What a run of a Sieve script asks, and what it answers. Plain data and pure functions: who delivers (jmap/mail/delivery) says what
 * there is, the run says what is to be done, and nothing has been done yet when it ends.
 */
import type { JsonObject } from '../../server/base/json.ts'
import type { SieveMessage } from './message.ts'

export interface SieveEnvironment {
  readonly message: SieveMessage
  /** Envelope addresses; '' is the null reverse-path. */
  readonly envelope: { readonly from: string; readonly to: string }
  /** Epoch ms at which the script runs. */
  readonly now: number
  readonly mailboxes: SieveMailboxes
  /** The server's own spam score against the account's threshold; null: not judged. */
  readonly spam: { readonly score: number; readonly threshold: number } | null
  /** RFC 7352: whether a key is tracked; null: not looked up yet (see runTracked). */
  isDuplicate(key: string): boolean | null
  readonly settings: { readonly mayRedirect: boolean }
  /** RFC 5183: the name of this host, and the domain; addresses of the client where they are known. */
  readonly host?: {
    readonly version: string
    readonly name: string
    readonly domain: string
    readonly remoteIp?: string
    readonly remoteHost?: string
  }
}

export interface SieveMailboxes {
  /** The number of the mailbox under a path such as `INBOX` or `Work/2026`; null: there is none. */
  find(path: string): number | null
  /** The number of the mailbox with a role (RFC 8621 2: `junk`). */
  ofRole(role: string): number | null
}

/** Where a message is filed: a mailbox that is there, or one to make (its ancestors too), with a role where that is still free. */
export type SieveTarget =
  | { readonly id: number; readonly path: string }
  | { readonly create: readonly string[]; readonly role: string | null; readonly path: string }

/** Flags are JMAP keywords, lower-case (`$seen`, `$flagged`, `work`). */
export type SieveAction =
  /** Where mail goes by default: the inbox, or Junk if the server judged so. `implicit`: nobody said anything else. */
  | { readonly kind: 'keep'; readonly flags: readonly string[]; readonly implicit: boolean }
  | { readonly kind: 'fileinto'; readonly target: SieveTarget; readonly flags: readonly string[] }
  | { readonly kind: 'redirect'; readonly address: string }
  /** To be answered to the sender: `ereject` in the SMTP dialogue where that is still open (RFC 5429 2.1). */
  | { readonly kind: 'reject'; readonly ereject: boolean; readonly reason: string }
  | SieveVacation
  /** What compiled inbox rules do beyond Sieve: their own data, handed through. */
  | { readonly kind: 'rule'; readonly data: JsonObject }

/** RFC 5230. Who delivers still asks what every auto-reply must be asked: lists, bulk, null sender, own address in To or Cc. */
export interface SieveVacation {
  readonly kind: 'vacation'
  /** Who was answered under this handle in the last `seconds` is not answered again (RFC 5230 4.2). */
  readonly handle: string
  readonly seconds: number
  /** null: made from the subject of the message. */
  readonly subject: string | null
  readonly from: string | null
  /** Further addresses of the account that may stand in To or Cc. */
  readonly addresses: readonly string[]
  readonly reason: string
  /** The reason is a MIME entity with its header (RFC 5230 4.3). */
  readonly mime: boolean
}

export interface SieveOutcome {
  /** In order. Without `keep` and `fileinto` the message is not stored: discarded, redirected or rejected. */
  readonly actions: readonly SieveAction[]
  /** What happened, in words, for people; `line` null: no line of the script. */
  readonly trace: readonly SieveNote[]
  /** Why the run ended early, in words; then the only action is an implicit keep (RFC 5228 2.10.6). */
  readonly error: string | null
  /** RFC 7352: keys to track from now on for so long, once the message was delivered. */
  readonly track: readonly { readonly key: string; readonly seconds: number }[]
  /** Keys that isDuplicate answered null for: run again with an answer. */
  readonly unknown: readonly string[]
}

export interface SieveNote {
  readonly line: number | null
  readonly text: string
}
