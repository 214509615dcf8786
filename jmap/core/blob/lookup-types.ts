/** Types whose objects refer to blobs: RFC 9404 4.3. */
import type { EmailOfBlob } from '../../../storage/repos/blob-references.ts'
import { Email } from '../../mail/email/email.type.ts'
import { parseMailboxes } from '../../mail/email/load.ts'
import { Mailbox } from '../../mail/mailbox/mailbox.type.ts'
import { SieveScript } from '../../mail/sieve-script/sieve-script.type.ts'
import { Thread } from '../../mail/thread/thread.type.ts'
import type { TypeSpec } from '../../type/define-type.ts'

/** What refers to a blob: emails, and scripts by their numbers. */
export interface BlobUses {
  readonly emails: readonly EmailOfBlob[]
  readonly scripts: readonly number[]
}

/** Numbers of a type's objects, from what refers to the blob. */
export const LOOKUP_TYPES: readonly { readonly type: TypeSpec; numbers(uses: BlobUses): readonly number[] }[] = [
  { type: Mailbox, numbers: ({ emails }) => emails.flatMap(({ mailboxes }) => parseMailboxes(mailboxes)) },
  { type: Thread, numbers: ({ emails }) => emails.map(({ thread }) => thread) },
  { type: Email, numbers: ({ emails }) => emails.map(({ id }) => id) },
  { type: SieveScript, numbers: ({ scripts }) => scripts },
]
