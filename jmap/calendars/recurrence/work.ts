/** What an expansion may cost. Synchronous code cannot be stopped from outside, so the engine counts its steps and stops by itself. */
import { RECURRENCE_INSTANCES_MAX, RECURRENCE_STEPS_MAX } from '../../../server/base/calendar-limits.ts'

export type RecurrenceErrorCode =
  | 'invalidRule' // the rule, its start or an override cannot be interpreted
  | 'unknownTimeZone' // no IANA name that this process knows
  | 'tooMuchWork' // more steps than a call may take
  | 'tooManyInstances' // more instances than a call may return

/** An expansion that cannot be answered. The message says what is wrong, in words for the one who sent the rule. */
export class RecurrenceError extends Error {
  override readonly name = 'RecurrenceError'
  readonly code: RecurrenceErrorCode

  constructor(code: RecurrenceErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The steps that are left to a call. A step is about 10 ns of CPU; what costs more counts as more steps. */
export class Work {
  private readonly all: number
  private left: number

  constructor(steps: number = RECURRENCE_STEPS_MAX) {
    this.all = steps
    this.left = steps
  }

  /** Steps that were taken. */
  get spent(): number {
    return this.all - Math.max(0, this.left)
  }

  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) {
      throw new RecurrenceError(
        'tooMuchWork',
        'the recurrence rule costs too much to expand: it rarely or never matches, or its lists are too long',
      )
    }
  }
}

export function tooManyInstances(max: number = RECURRENCE_INSTANCES_MAX): RecurrenceError {
  return new RecurrenceError('tooManyInstances', `the recurrence has more than ${max} instances in this time range`)
}
