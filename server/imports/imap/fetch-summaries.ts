/**
 * Flags, dates, labels and sizes of the messages after a UID, some hundred at a time. Windows are of sequence numbers, because UIDs may
 * lie far apart; they follow the removals by other clients that the server reports (RFC 3501 7.4.1).
 */
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { IMAP_WINDOW } from '../../base/imap-limits.ts'
import type { MessageSummary } from './session-port.ts'

/** RFC 3501 2.3.1.1 */
const UID_MAX = 0xffff_ffff

export class SummaryReader {
  readonly #client: ImapFlow
  readonly #isGmail: boolean
  /** UID of the last message that was given, and the sequence number after it. */
  #last = 0
  #next = 1

  constructor(client: ImapFlow) {
    this.#client = client
    this.#isGmail = client.capabilities.has('X-GM-EXT-1')
  }

  /** Another client has removed a message (RFC 3501 7.4.1). */
  removed(sequence: number): void {
    if (sequence < this.#next) this.#next--
  }

  /** @returns by UID; empty: there are no more */
  async after(uid: number): Promise<MessageSummary[]> {
    if (uid !== this.#last) this.#next = await this.#firstAfter(uid)
    this.#last = uid
    for (let silent = 0; silent < SILENT_WINDOWS; ) {
      const exists = this.#exists()
      if (this.#next > exists) return []
      const to = Math.min(this.#next + IMAP_WINDOW - 1, exists)
      const range = `${this.#next}:${to}`
      this.#next = to + 1
      const { found, answers } = await this.#window(range)
      if (found.length > 0) {
        this.#last = found.at(-1)!.uid
        return found
      }
      if (answers === 0) silent++
    }
    // The server claims messages that it does not have.
    throw Object.assign(new Error('messages are missing'), { code: 'TooMuch' })
  }

  #exists(): number {
    const { mailbox } = this.#client
    return mailbox ? mailbox.exists : 0
  }

  async #window(range: string): Promise<{ found: MessageSummary[]; answers: number }> {
    const query = { uid: true, flags: true, internalDate: true, size: true, ...(this.#isGmail && { labels: true }) }
    const found = new Map<number, MessageSummary>()
    let answers = 0
    for await (const message of this.#client.fetch(range, query)) {
      if (++answers > ANSWERS_MAX) throw Object.assign(new Error('more answers than messages'), { code: 'TooMuch' })
      const { uid } = message
      // An answer without UID reports a change of flags.
      if (uid === undefined || uid <= this.#last || uid > UID_MAX || message.flags === undefined) continue
      found.set(uid, summaryOf(message))
    }
    return { found: [...found.values()].sort((a, b) => a.uid - b.uid), answers }
  }

  /** The sequence number of the first message with a larger UID: messages are in the order of their UIDs. */
  async #firstAfter(uid: number): Promise<number> {
    if (uid === 0) return 1
    let low = 1
    let high = this.#exists() + 1
    while (low < high) {
      const middle = (low + high) >>> 1
      const message = await this.#client.fetchOne(String(middle), { uid: true })
      // Removed meanwhile. From the beginning nothing is missed: what was given before is left out.
      if (!message) return 1
      if (message.uid > uid) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Windows without any answer, after which the server lies. */
const SILENT_WINDOWS = 20
/** Answers to one window: changes of flags by other clients are among them. */
const ANSWERS_MAX = 4 * IMAP_WINDOW

function summaryOf({ uid, flags, internalDate, size, labels }: FetchMessageObject): MessageSummary {
  const at = internalDate instanceof Date ? internalDate.getTime() : Number.NaN
  return {
    uid,
    receivedAt: Number.isNaN(at) ? null : at,
    flags: [...(flags ?? [])],
    labels: [...(labels ?? [])],
    octets: size ?? 0,
  }
}
