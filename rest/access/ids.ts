/** What REST reads out of an id: the account it belongs to (design.md section 5), so that `/v1/threads/:id` finds its mailbox. */
import type { IdCodec, IdKind } from '../../server/base/ids.ts'
import type { Principal } from '../../server/base/principal.ts'

export interface RestIds {
  /** JMAP account id of the account that holds the object, or null for what is no id of this kind. */
  accountOfId(kind: IdKind, id: string): string | null
  /** JMAP account id of a principal's organization. */
  organizationOf(principal: Principal): string
  /** Whether the principal is restricted to mailboxes among which this one is not. */
  isShutOut(principal: Principal, mailboxId: string): boolean
  /**
   * Ids of the mailboxes that a principal is restricted to, newest first; null: it is not.
   * @param before only those made before the mailbox of this id, which need not exist any more
   */
  restrictionOf(principal: Principal, before: string | null): readonly string[] | null
}

export function restIds(codec: Pick<IdCodec, 'encode' | 'decode'>): RestIds {
  return {
    accountOfId(kind, id) {
      const decoded = codec.decode(kind, id)
      return decoded ? codec.encode('MailAccount', decoded.account) : null
    },
    organizationOf: (principal) => codec.encode('Organization', principal.organization),
    isShutOut(principal, mailboxId) {
      if (principal.mailboxes === 'all') return false
      const decoded = codec.decode('MailAccount', mailboxId)
      return decoded !== null && !principal.mailboxes.includes(decoded.account)
    },
    restrictionOf({ mailboxes }, before) {
      if (mailboxes === 'all') return null
      // Account numbers grow with every account and are never used again.
      const end = before === null ? Number.POSITIVE_INFINITY : (codec.decode('MailAccount', before)?.account ?? 0)
      const allowed = [...new Set(mailboxes)].filter((account) => account < end).sort((a, b) => b - a)
      return allowed.map((account) => codec.encode('MailAccount', account))
    },
  }
}
