/** What is wrong with a text that was read, in words. */
import { ICALENDAR_MAX_FAULTS } from '../../../server/base/icalendar-limits.ts'

/**
 * One fault. `scope` says what it costs: `property`: a value is kept as text only; `component`: an event, alarm or other component is
 * left out.
 */
export interface Fault {
  readonly scope: 'property' | 'component'
  /** Number of the first line of the property or component, from 1. */
  readonly line: number
  /** One sentence. */
  readonly text: string
  /** Of the event, task or other part of a calendar that is left out; null: it has no UID. Absent for other faults. */
  readonly uid?: string | null
}

/** The text as a whole cannot be read. The message is one sentence. */
export class ICalendarError extends Error {
  override readonly name = 'ICalendarError'
}

export class Faults {
  readonly list: Fault[] = []
  count = 0
  /** Events, tasks and other parts of a calendar that are left out. */
  leftOut = 0

  property(line: number, text: string): void {
    this.#add({ scope: 'property', line, text })
  }

  component(line: number, text: string): void {
    this.#add({ scope: 'component', line, text })
  }

  /** An event, a task or another part of a calendar is left out. */
  part(line: number, text: string, uid: string | null): void {
    this.leftOut++
    this.#add({ scope: 'component', line, text, uid })
  }

  #add(fault: Fault): void {
    this.count++
    if (this.list.length < ICALENDAR_MAX_FAULTS) this.list.push(fault)
  }
}
