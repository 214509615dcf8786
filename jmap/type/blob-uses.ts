/** RFC 9404 4.3: which objects lead to a blob. */
import type { IdKind } from '../../server/base/ids.ts'

/** What refers to a blob directly, by numbers. */
export interface BlobUses {
  readonly emails: readonly { readonly id: number; readonly thread: number; readonly mailboxes: readonly number[] }[]
  readonly scripts: readonly number[]
  readonly events: readonly number[]
}

/** A type whose objects may lead to a blob. */
export interface BlobType extends IdKind {
  readonly name: string
  readonly capability: { readonly urn: string }
  /** Numbers of the objects that do. */
  readonly ofBlob: (uses: BlobUses) => readonly number[]
}
