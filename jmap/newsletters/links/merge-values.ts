/** What the merge fields of a newsletter are for one recipient (decision D19). Pure. */
import type { MergeValues } from '../content/template.ts'
import type { MergeFields } from '../subscriber/subscriber.type.ts'

export interface MergedRecipient {
  readonly address: string
  readonly displayName: string | null
  readonly mergeFields: MergeFields
  /** recipient-links.ts */
  readonly unsubscribeUrl: string
  /** null: the newsletter has no page in the archive. */
  readonly archiveUrl: string | null
}

/** A subscriber's own field does not replace one of the server. */
export function mergeValues(recipient: MergedRecipient): MergeValues {
  return {
    ...recipient.mergeFields,
    email_address: recipient.address,
    display_name: recipient.displayName,
    unsubscribe_url: recipient.unsubscribeUrl,
    archive_url: recipient.archiveUrl,
  }
}
