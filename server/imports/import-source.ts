/**
 * The port of imports: where mail comes from. A source lists its folders and then gives the messages of a folder one after another, from a
 * position on. It only reads. The worker (server/workers/imports) asks for one message at a time, so a source never holds more than
 * a few messages, and decides what becomes of it. Several sources may be open at a time.
 */

import type { ImapAccount } from '../../jmap/type/host-ports.ts'

/** Roles of mailboxes (RFC 8621 2, RFC 6154 2), as far as a source knows them. `all` is the folder of all mail, which becomes no folder. */
export type SourceRole = 'inbox' | 'sent' | 'drafts' | 'junk' | 'trash' | 'archive' | 'important' | 'all'

/** Where a message is at the source: a folder or a label. */
export interface SourcePlace {
  /** Names from the top down, in Unicode, without a delimiter of the protocol; never empty. A name may be too long or have control
   * characters: the worker resolves it. */
  readonly path: readonly string[]
  /** null: an ordinary folder. */
  readonly role: SourceRole | null
}

export interface SourceFolder extends SourcePlace {
  /** The source's own name of the folder, the same in each connection: at most 1,000 characters. */
  readonly key: string
  /** Messages in it; null: known only when it has been read. */
  readonly total: number | null
  /** Its messages say their places themselves (`MessageOutline.places`), so options are judged by those and not by this folder. */
  readonly namesPlaces?: boolean
  /** Positions are valid while it is the same, such as UIDVALIDITY or the digest of a file: at most 200 characters. */
  readonly generation: string
}

/** What is known of a message before its octets are read. */
export interface MessageOutline {
  /** All places of the message at the source, if it says so (X-GM-LABELS). Empty: the folder that is read is the only one. */
  readonly places: readonly SourcePlace[]
  /** Epoch ms (INTERNALDATE); null: it is read from the message. */
  readonly receivedAt: number | null
}

export type SourceItem =
  | (MessageOutline & {
      readonly kind: 'message'
      readonly position: string
      /** Keywords of RFC 8621 4.1.1 (`$seen`, `$flagged`, `$answered`, `$draft`, `$forwarded`, ...). The worker drops those that are not
       * allowed. */
      readonly keywords: readonly string[]
      /** The message with CRLF line ends, without fields that only the source has. Its memory is its own: the worker keeps it
       * after the next item was asked for. */
      readonly raw: Buffer
      /** A file says that these are the octets with which it was exported, so that it is stored beside another that differs in its transport only. */
      readonly isExact?: boolean
      /** Epoch ms to be taken when neither `receivedAt` nor the message has a date (the From_ line of an mbox). */
      readonly fallbackDate: number | null
    })
  /** Not read, because `wants` said no. */
  | (Pick<MessageOutline, 'places'> & { readonly kind: 'skipped'; readonly position: string })
  /** This message cannot be read, others can. `reason` is one of the words below, `detail` a sentence for the owner without secrets. */
  | (Pick<MessageOutline, 'places'> & {
      readonly kind: 'unreadable'
      readonly position: string
      readonly reason: UnreadableReason
      readonly detail: string
    })

export type UnreadableReason = 'too_large' | 'source_refused' | 'malformed' | 'vanished'

export interface ReadOptions {
  /** `position` of the last item that was dealt with; null: from the beginning. At most 200 characters. */
  readonly after: string | null
  /** Asked once for each message before its octets are read. */
  readonly wants: (outline: MessageOutline) => boolean
  /** A larger message is `unreadable` with `too_large`, and is not held in memory. */
  readonly maxOctets: number
  /** Aborted when the import is cancelled or the server stops: the iteration then throws or ends at once. */
  readonly signal: AbortSignal
}

export interface ImportSource {
  /** All folders with messages, also those that options leave out, in the order in which they are to be read. @throws SourceError */
  folders(signal: AbortSignal): Promise<readonly SourceFolder[]>
  /** The items after a position, in a fixed order, each with its own position. Ends after the last one. @throws SourceError */
  read(folder: SourceFolder, options: ReadOptions): AsyncIterable<SourceItem>
  /** Ends connections and closes files. Never rejects. */
  close(): Promise<void>
}

/**
 * Why a source gives nothing now:
 * - `authentication`: wrong credentials
 * - `untrusted`: its certificate is not trusted; nothing secret was sent
 * - `unreachable`: no such host, refused, silent, or an address that is not allowed. Tried again for a while
 * - `cut`: the connection ended while it was used. Tried again for a while
 * - `throttled`: its limit is reached (`[THROTTLED]`, `[OVERQUOTA]`, `[LIMIT]`): the import pauses until `until`
 * - `unusable`: nothing will help, such as a broken zip or a server that breaks the protocol
 */
export type SourceFault = 'authentication' | 'untrusted' | 'unreachable' | 'cut' | 'throttled' | 'unusable'

export class SourceError extends Error {
  readonly fault: SourceFault
  /** Epoch ms; null: the source does not say when, or the fault is another. */
  readonly until: number | null

  /** @param message a sentence for the owner, without secrets and without octets of the source */
  constructor(fault: SourceFault, message: string, until: number | null = null) {
    super(message)
    this.name = 'SourceError'
    this.fault = fault
    this.until = until
  }
}

/** Opens an account that is imported from. Connects when it is first read. `host` of the account is the one that the login found. */
export type OpenImapSource = (account: ImapAccount) => ImportSource
