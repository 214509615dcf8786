/** The log of the delivery of a message: what was decided and why, in words and in order. Users see it as `deliveryTrace`. */
import { TRACE_NOTE_MAX_CHARS, TRACE_NOTES_MAX } from '../../server/base/delivery-limits.ts'

export interface DeliveryNote {
  readonly by: 'check' | 'spam' | 'script' | 'rule' | 'reply' | 'calendar' | 'delivery'
  /** Name of the script or the rule. */
  readonly name?: string
  readonly text: string
}

export class DeliveryLog {
  readonly #notes: DeliveryNote[] = []

  note(by: DeliveryNote['by'], text: string, name?: string): void {
    if (this.#notes.length >= TRACE_NOTES_MAX) return
    const cut = text.length > TRACE_NOTE_MAX_CHARS ? `${text.slice(0, TRACE_NOTE_MAX_CHARS - 1)}…` : text
    this.#notes.push({ by, ...(name !== undefined && { name }), text: cut })
  }

  /** A copy: a unit of work may run more than once, and each run adds its own notes. */
  copy(): DeliveryLog {
    const copy = new DeliveryLog()
    copy.#notes.push(...this.#notes)
    return copy
  }

  get notes(): readonly DeliveryNote[] {
    return this.#notes
  }
}
