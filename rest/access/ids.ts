/** Ids in requests. An id holds the number of its account, so that `/v1/threads/{thread_id}` leads to a mailbox. */
import { isId } from '../../jmap/protocol/primitives.ts'
import type { IdCodec } from '../../server/base/ids.ts'
import type { Principal } from '../../server/base/principal.ts'
import { notFound } from '../errors/api-error.ts'
import { type JmapObjects, TYPES } from '../schema/jmap-types.ts'

/** An id that a client sent. Text that cannot be an id is answered as an unknown id. @throws ApiError 404 */
export function knownId(text: string, what: string): string {
  if (!isId(text)) throw notFound(what)
  return text
}

export interface RestIds {
  /** JMAP account id of the account that holds the object, or the object of the instance; null: no id of this kind. */
  accountOfId(kind: keyof JmapObjects, id: string): string | null
  /** The id of an instance of an object (jmap/type/instance-numbers.ts); null: no id of an object of this kind. */
  instanceId(kind: keyof JmapObjects, id: string, key: number): string | null
  /** JMAP account id of a principal's organization. */
  organizationOf(principal: Principal): string
  /** Whether the principal is restricted to mailboxes, and this one is not among them. */
  isDenied(principal: Principal, mailboxId: string): boolean
  /** Whether the principal may know only some domains (decision D5), and this id names none of them. */
  isUnknownDomain(principal: Principal, domainId: string): boolean
  /**
   * Ids of the mailboxes that a principal is restricted to, newest first; null: it is not restricted.
   * @param before only those created before the mailbox of this id, which may be gone
   */
  restrictionOf(principal: Principal, before: string | null): readonly string[] | null
}

export function restIds(
  codec: Pick<IdCodec, 'decode' | 'decodeInstance' | 'instanceEncoder' | 'accountId' | 'accountNumber'>,
): RestIds {
  return {
    accountOfId(kind, id) {
      const decoded = codec.decode(TYPES[kind], id) ?? codec.decodeInstance(TYPES[kind], id)
      return decoded && codec.accountId('mailbox', decoded.account)
    },
    instanceId(kind, id, key) {
      const decoded = codec.decode(TYPES[kind], id)
      return decoded && decoded.path.length === 0
        ? codec.instanceEncoder(TYPES[kind], decoded.account).id(decoded.object, key)
        : null
    },
    organizationOf: (principal) => codec.accountId('organization', principal.organization),
    isDenied(principal, mailboxId) {
      if (principal.mailboxes === 'all') return false
      const account = codec.accountNumber('mailbox', mailboxId)
      return account !== null && !principal.mailboxes.includes(account)
    },
    isUnknownDomain({ domains }, domainId) {
      if (domains === undefined) return false
      const decoded = codec.decode(TYPES.Domain, domainId)
      return decoded === null || !domains.includes(decoded.object)
    },
    restrictionOf({ mailboxes }, before) {
      if (mailboxes === 'all') return null
      // Account numbers grow with every account and are never reused.
      const end = before === null ? Number.POSITIVE_INFINITY : (codec.accountNumber('mailbox', before) ?? 0)
      const allowed = [...new Set(mailboxes)].filter((account) => account < end).sort((a, b) => b - a)
      return allowed.map((account) => codec.accountId('mailbox', account))
    },
  }
}
