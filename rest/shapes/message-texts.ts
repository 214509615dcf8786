/**
 * JSON text of what never changes in messages (RFC 8621 4.1: all but mailboxes and keywords), which a client of JMAP may keep: a list that
 * is asked for again and again is not made anew each time. Who gets it has been shown by the core that the message is his to see.
 */
import { REST_MESSAGE_TEXTS_CHARS } from '../../server/base/limits.ts'

export class MessageTexts {
  /** In the order of their last use. */
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
