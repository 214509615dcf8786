/** What REST reads out of an id: the account that it belongs to, so that `/v1/threads/:id` finds its mailbox. */
import type { IdCodec } from '../server/base/ids.ts'
import type { Principal } from '../server/base/principal.ts'
import { type JmapObjects, TYPES } from './jmap-types.ts'

export interface RestIds {
  /** JMAP account id of the account that holds the object, or null for what is no id of this kind. */
  accountOfId(kind: keyof JmapObjects, id: string): string | null
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

export function restIds(codec: Pick<IdCodec, 'decode' | 'accountId' | 'accountNumber'>): RestIds {
  return {
    accountOfId(kind, id) {
      const decoded = codec.decode(TYPES[kind], id)
      return decoded && codec.accountId('mailbox', decoded.account)
    },
    organizationOf: (principal) => codec.accountId('organization', principal.organization),
    isShutOut(principal, mailboxId) {
      if (principal.mailboxes === 'all') return false
      const account = codec.accountNumber('mailbox', mailboxId)
      return account !== null && !principal.mailboxes.includes(account)
    },
    restrictionOf({ mailboxes }, before) {
      if (mailboxes === 'all') return null
      // Account numbers grow with every account and are never used again.
      const end = before === null ? Number.POSITIVE_INFINITY : (codec.accountNumber('mailbox', before) ?? 0)
      const allowed = [...new Set(mailboxes)].filter((account) => account < end).sort((a, b) => b - a)
      return allowed.map((account) => codec.accountId('mailbox', account))
    },
  }
}
