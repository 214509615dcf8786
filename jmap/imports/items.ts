/** Items of a source as the core takes them (server/imports/import-source.ts makes them). */
import type { ImapAccount } from '../type/host-ports.ts'
import type { StoredOptions } from './stored.ts'

export type PlaceRole = 'inbox' | 'sent' | 'drafts' | 'junk' | 'trash' | 'archive' | 'important' | 'all'

/** A folder or label at the source. */
export interface Place {
  /** Names from the top down; at least one. */
  readonly path: readonly string[]
  readonly role: PlaceRole | null
}

export interface FoundFolder extends Place {
  readonly key: string
  readonly total: number | null
  readonly generation: string
  /** Its messages say their places. */
  readonly namesPlaces?: boolean
}

interface Item {
  /** Empty: the folder that is read. */
  readonly places: readonly Place[]
  readonly position: string
}

export interface MessageItem extends Item {
  readonly kind: 'message'
  /** Epoch ms; null: it is read from the message. */
  readonly receivedAt: number | null
  /** Epoch ms for a message without any date. */
  readonly fallbackDate: number | null
  readonly keywords: readonly string[]
  readonly raw: Uint8Array
  /** A file says that these are the octets with which it was exported. */
  readonly isExact?: boolean
}

export type ImportItem =
  | MessageItem
  | (Item & { readonly kind: 'skipped' })
  | (Item & { readonly kind: 'unreadable'; readonly reason: string; readonly detail: string })

/** Octets of the messages among the items. */
export function octetsOf(items: readonly ImportItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'message' ? item.raw.length : 0), 0)
}

/** A folder that is being read, as it was when the task was claimed. */
export interface FolderCursor {
  readonly id: number
  readonly key: string
  readonly position: string | null
  readonly isDone: boolean
}

export type TaskSource =
  | { readonly type: 'imap'; readonly account: ImapAccount }
  | {
      readonly type: 'files'
      readonly provider: 'takeout' | 'generic'
      readonly files: readonly StagedFileRef[]
    }

/** Octets that a host keeps. */
export interface StagedFileRef {
  readonly name: string
  readonly size: number
  readonly place: string
}

/** An import or an undo that a worker has claimed. */
export interface ImportTask {
  readonly account: number
  readonly id: number
  /** Calls with another lease have no effect. */
  readonly lease: string
  readonly kind: 'import' | 'undo'
  /** null: an undo, or a secret that cannot be opened any more. */
  readonly source: TaskSource | null
  readonly options: StoredOptions
  /** Epoch ms: older mail is left out. */
  readonly since: number | null
}
