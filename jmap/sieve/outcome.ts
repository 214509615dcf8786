/** Result of a Sieve script: its actions. The run itself executes none of them. */
import type { JsonObject } from '../../server/base/json.ts'

/** Target of a message: an existing mailbox, or one to create with its parents, and with a role if that is still free. */
export type SieveTarget =
  | { readonly id: number; readonly path: string }
  | { readonly create: readonly string[]; readonly role: string | null; readonly path: string }

/** Flags are JMAP keywords in lower case (`$seen`, `$flagged`, `work`). */
export type SieveAction =
  /** The default target: the inbox, or Junk if the server judged so. `implicit`: no action cancelled the implicit keep. */
  | { readonly kind: 'keep'; readonly flags: readonly string[]; readonly implicit: boolean }
  | { readonly kind: 'fileinto'; readonly target: SieveTarget; readonly flags: readonly string[] }
  | { readonly kind: 'redirect'; readonly address: string }
  /** Refuse the message: `ereject` in the SMTP session, if that is still open (RFC 5429 2.1). */
  | { readonly kind: 'reject'; readonly ereject: boolean; readonly reason: string }
  | SieveVacation
  /** Actions of compiled inbox rules that Sieve does not have. The data is passed through. */
  | { readonly kind: 'rule'; readonly data: JsonObject }

/** RFC 5230. The caller still applies the checks for all automatic replies: lists, bulk mail, null sender, own address in To or Cc. */
export interface SieveVacation {
  readonly kind: 'vacation'
  /** A sender who got an answer with this handle in the last `seconds` gets no other (RFC 5230 4.2). */
  readonly handle: string
  readonly seconds: number
  /** null: derived from the subject of the message. */
  readonly subject: string | null
  readonly from: string | null
  /** Further addresses of the account that may be in To or Cc. */
  readonly addresses: readonly string[]
  readonly reason: string
  /** The reason is a MIME entity with its header (RFC 5230 4.3). */
  readonly mime: boolean
}

export interface SieveOutcome {
  /** In order. Without `keep` and `fileinto` the message is not stored: it is discarded, redirected or rejected. */
  readonly actions: readonly SieveAction[]
  /** What the run did, in words for users; `line` null: not from a line of the script. */
  readonly trace: readonly SieveNote[]
  /** Why the run ended early, in words; then the only action is an implicit keep (RFC 5228 2.10.6). */
  readonly error: string | null
  /** RFC 7352: keys to track from now on for this time, once the message is delivered. */
  readonly track: readonly { readonly key: string; readonly seconds: number }[]
  /** Keys for which isDuplicate returned null: run again with an answer. */
  readonly unknown: readonly string[]
}

export interface SieveNote {
  readonly line: number | null
  readonly text: string
}
