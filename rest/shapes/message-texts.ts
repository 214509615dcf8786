/**
 * JSON text of the immutable parts of messages: all except mailboxes, keywords (RFC 8621 4.1) and the delivery trace. It is cached, so
 * that a list that is read repeatedly is not serialised each time. The core has checked that the caller may read the message.
 */
import { JsonText } from '../../jmap/protocol/json-text.ts'
import { REST_MESSAGE_TEXTS_CHARS } from '../../server/base/limits.ts'
import type { OpenMailbox } from '../calls/mailbox-access.ts'
import type { EmailObject } from '../schema/jmap-types.ts'
import { toInboxMessage } from './inbox-message.ts'
import { toDeliveryNote } from './junk-reasons.ts'

export class MessageTexts {
  /** In the order of last use. */
  readonly #texts = new Map<string, string>()
  #chars = 0

  /** @param isWhole with the contents of its bodies */
  find(messageId: string, isWhole: boolean): string | undefined {
    const key = keyOf(messageId, isWhole)
    const text = this.#texts.get(key)
    if (text === undefined) return undefined
    this.#texts.delete(key)
    this.#texts.set(key, text)
    return text
  }

  keep(messageId: string, isWhole: boolean, text: string): void {
    const key = keyOf(messageId, isWhole)
    this.#forget(key)
    this.#texts.set(key, text)
    this.#chars += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= REST_MESSAGE_TEXTS_CHARS) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    const text = this.#texts.get(key)
    if (text === undefined) return
    this.#chars -= text.length
    this.#texts.delete(key)
  }
}

function keyOf(messageId: string, isWhole: boolean): string {
  return isWhole ? messageId : `${messageId} `
}

/** The properties that may change. The trace gets an entry when a draft of a reply is made. */
export const CHANGING_PROPERTIES = ['id', 'mailboxIds', 'keywords', 'deliveryTrace'] as const
export type ChangingEmail = Pick<EmailObject, (typeof CHANGING_PROPERTIES)[number]>

/** The members of an InboxMessage that never change, as JSON text without the closing brace. */
export function fixedText(mailbox: OpenMailbox, email: EmailObject): string {
  const { folder_ids: _folders, keywords: _keywords, delivery_trace: _trace, ...fixed } = toInboxMessage(mailbox, email)
  return JSON.stringify(fixed).slice(0, -1)
}

/** The text of an InboxMessage: a `fixedText` and the members that may change. */
export function withFixedText(fixed: string, { mailboxIds, keywords, deliveryTrace }: ChangingEmail): JsonText {
  const rest = { folder_ids: Object.keys(mailboxIds), keywords, delivery_trace: deliveryTrace.map(toDeliveryNote) }
  return new JsonText(`${fixed},${JSON.stringify(rest).slice(1)}`)
}
