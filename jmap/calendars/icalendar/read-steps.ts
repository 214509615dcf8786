/**
 * A calendar that was read, as octets of a few events each: a whole calendar as objects would keep the thread that gets it for too long, and
 * so would the rules of many events that cost much. Octets are handed to another thread without a copy, and do not make its heap grow.
 */
import {
  IMPORT_COSTLY_STEPS,
  IMPORT_MAX_FAILURES,
  IMPORT_MAX_STEPS,
  IMPORT_STEP_CHARS,
  IMPORT_STEP_EVENTS,
} from '../../../server/base/calendar-exchange-limits.ts'
import type { Event } from '../jscalendar/event.ts'
import { costOf } from '../recurrence/cost.ts'
import type { OpenCalendar } from './read-icalendar.ts'

export interface CalendarSteps {
  /** METHOD in lower case; null: none. */
  readonly method: string | null
  /** Of all steps. */
  readonly count: number
  /** JSON of arrays of events, in the order of the text. */
  readonly steps: Uint8Array[]
  /** What is not among the events; `leftOut` counts all. */
  readonly failures: readonly { readonly uid: string | null; readonly message: string }[]
  readonly leftOut: number
}

export function calendarSteps({ head, events, summary }: OpenCalendar): CalendarSteps {
  const steps = new Steps()
  let count = 0
  for (const event of events) {
    steps.add(event)
    count++
  }
  const { faults, leftOut } = summary()
  const unread = faults.flatMap(({ uid, line, text }) =>
    uid === undefined ? [] : [{ uid, message: `Line ${line}: ${text}` }],
  )
  const failures = [...unread, ...steps.refused.map((uid) => ({ uid, message: TOO_MUCH }))]
  return {
    method: head.method,
    count: count - steps.refused.length,
    steps: steps.finished(),
    failures: failures.slice(0, IMPORT_MAX_FAILURES),
    leftOut: leftOut + steps.refused.length,
  }
}

const TOO_MUCH = 'The rules of the file cost too much to expand: import the event by itself.'

class Steps {
  /** uids */
  readonly refused: string[] = []
  readonly #steps: Uint8Array[] = []
  #texts: string[] = []
  #size = 0
  #left = IMPORT_MAX_STEPS

  add(event: Event): void {
    const recurs = event.recurrenceRule !== undefined
    if (recurs && this.#left <= 0) {
      this.refused.push(event.uid)
      return
    }
    const cost = recurs ? costOf(event) : 0
    this.#left -= cost
    const text = JSON.stringify(event)
    const isCostly = cost > IMPORT_COSTLY_STEPS
    const isFull = this.#texts.length === IMPORT_STEP_EVENTS || this.#size + text.length > IMPORT_STEP_CHARS
    if (isCostly || isFull) this.#finish()
    this.#texts.push(text)
    this.#size += text.length
    if (isCostly) this.#finish()
  }

  finished(): Uint8Array[] {
    this.#finish()
    return this.#steps
  }

  #finish(): void {
    if (this.#texts.length > 0) this.#steps.push(new TextEncoder().encode(`[${this.#texts.join(',')}]`))
    this.#texts = []
    this.#size = 0
  }
}
