/** Types whose objects refer to blobs: RFC 9404 4.3. */
import type { EmailOfBlob } from '../../../storage/repos/blob-references.ts'
import type { TypeSpec } from '../../type/define-type.ts'
import { Email } from '../email/email.type.ts'
import { parseMailboxes } from '../email/load.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import { SieveScript } from '../sieve-script/sieve-script.type.ts'
import { Thread } from '../thread/thread.type.ts'

/** The users of a blob: emails, and scripts by their numbers. */
export interface BlobUses {
  readonly emails: readonly EmailOfBlob[]
  readonly scripts: readonly number[]
}

/** Numbers of a type's objects that refer to the blob. */
export const LOOKUP_TYPES: readonly { readonly type: TypeSpec; numbers(uses: BlobUses): readonly number[] }[] = [
  { type: Mailbox, numbers: ({ emails }) => emails.flatMap(({ mailboxes }) => parseMailboxes(mailboxes)) },
  { type: Thread, numbers: ({ emails }) => emails.map(({ thread }) => thread) },
  { type: Email, numbers: ({ emails }) => emails.map(({ id }) => id) },
  { type: SieveScript, numbers: ({ scripts }) => scripts },
]
