/** Ids of recipients of newsletters. They stand in Message-IDs, so that complaints name the recipient. */
import type { IdCodec, IdKind } from '../../../server/base/ids.ts'

export const NEWSLETTER_RECIPIENT: IdKind = { idPrefix: 'nwr' }

/** The Message-ID of a recipient's copy, without angle brackets. */
export function messageIdOf(ids: IdCodec, account: number, recipient: number, domain: string): string {
  return `${ids.encode(NEWSLETTER_RECIPIENT, account, recipient)}@${domain}`
}

/** The recipient that a Message-ID names; null: it is not of a newsletter of this installation. */
export function recipientOfMessage(ids: IdCodec, messageId: string): { account: number; recipient: number } | null {
  const at = messageId.lastIndexOf('@')
  const decoded = ids.decode(NEWSLETTER_RECIPIENT, at < 0 ? messageId : messageId.slice(0, at))
  return decoded ? { account: decoded.account, recipient: decoded.object } : null
}
