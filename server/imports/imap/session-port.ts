/**
 * What is asked of a connection to an IMAP server. The session answers in a thread of its own (server/threads), so questions and answers
 * are plain data, and faults are values.
 */
import type { ImapAccount } from '../../../jmap/type/host-ports.ts'
import type { ReachOptions } from '../../egress/reach.ts'
import type { SourceError, SourceFault, SourceFolder, UnreadableReason } from '../import-source.ts'

/** Where connections may lead, and whom they trust. */
export interface ImapReach {
  readonly reach: ReachOptions
  /** PEM of authorities beside those that Node knows. */
  readonly ca: string | null
  /** Resolver of the operator, `address:port`; null: the system's. */
  readonly dns: string | null
}

export interface ListedFolder extends SourceFolder {
  /** Of Gmail: the answer to X-GM-LABELS leaves this folder out. */
  readonly isLabel: boolean
}

export interface FolderList {
  /** The server has X-GM-EXT-1. */
  readonly isGmail: boolean
  readonly folders: readonly ListedFolder[]
}

/** What is known of a message before its octets are read. */
export interface MessageSummary {
  readonly uid: number
  /** Epoch ms of INTERNALDATE; null: it is not a date. */
  readonly receivedAt: number | null
  readonly flags: readonly string[]
  /** X-GM-LABELS in Unicode: the library has decoded them. */
  readonly labels: readonly string[]
  /** RFC822.SIZE. It may be wrong. */
  readonly octets: number
}

export type FetchedMessage =
  | { readonly uid: number; readonly raw: Uint8Array }
  | { readonly uid: number; readonly reason: UnreadableReason }

export interface MessageRequest {
  readonly uid: number
  readonly octets: number
}

export type SessionAnswer<T> =
  | { readonly value: T }
  | { readonly fault: SourceFault; readonly message: string; readonly until: number | null }

export interface ImapSessionCalls {
  folders(): Promise<SessionAnswer<FolderList>>
  /** The summaries of messages after a UID in a folder, at most IMAP_WINDOW, by UID; empty: there are no more; `refused`: the server does not
   * open the folder. */
  summaries(folder: FolderName, after: number): Promise<SessionAnswer<readonly MessageSummary[] | 'refused'>>
  /** The octets of messages of a folder, in the order of the requests. */
  messages(
    folder: FolderName,
    requests: readonly MessageRequest[],
    maxOctets: number,
  ): Promise<SessionAnswer<readonly FetchedMessage[]>>
  /** Never rejects. */
  close(): Promise<void>
}

export type FolderName = Pick<SourceFolder, 'key' | 'generation'>

/** What a session is opened with. */
export interface SessionPlan {
  readonly account: ImapAccount
  readonly reach: ImapReach
}

export function answerOfError({ fault, message, until }: SourceError): SessionAnswer<never> {
  return { fault, message, until }
}
