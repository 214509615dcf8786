/** What was found and done about a message at delivery, in words and in order, for whoever asks why it is where it is. */
import { TRACE_NOTE_MAX_CHARS, TRACE_NOTES_MAX } from '../../../server/base/delivery-limits.ts'

export interface TraceNote {
  readonly by: 'check' | 'spam' | 'script' | 'rule' | 'reply' | 'delivery'
  /** Of the script or the rule. */
  readonly name?: string
  readonly text: string
}

export class Trace {
  readonly #notes: TraceNote[] = []

  note(by: TraceNote['by'], text: string, name?: string): void {
    if (this.#notes.length >= TRACE_NOTES_MAX) return
    const cut = text.length > TRACE_NOTE_MAX_CHARS ? `${text.slice(0, TRACE_NOTE_MAX_CHARS - 1)}…` : text
    this.#notes.push({ by, ...(name !== undefined && { name }), text: cut })
  }

  /** For what is only tried: its notes are not in this one. */
  copy(): Trace {
    const copy = new Trace()
    copy.#notes.push(...this.#notes)
    return copy
  }

  get notes(): readonly TraceNote[] {
    return this.#notes
  }
}
