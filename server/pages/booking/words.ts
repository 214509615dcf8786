/** Texts of the booking pages. Each language has all of them. */
export interface Words {
  /** For `lang` and Intl. */
  readonly language: string
  /** First day of a week; 0 is Sunday. */
  readonly weekStart: 0 | 1
  readonly minutes: (count: number) => string
  readonly with: (host: string) => string
  readonly chooseTime: string
  readonly previousMonth: string
  readonly nextMonth: string
  readonly timesOn: (date: string) => string
  readonly timesCount: (count: number) => string
  readonly noTimesInMonth: string
  readonly noTimesOnDay: string
  readonly timezone: string
  readonly clock: string
  readonly clock12: string
  readonly clock24: string
  readonly apply: string
  readonly yourDetails: string
  readonly change: string
  readonly name: string
  readonly email: string
  readonly notes: string
  readonly optional: string
  readonly guests: string
  readonly guestsHint: (max: number) => string
  readonly leaveEmpty: string
  readonly book: string
  readonly correctErrors: string
  readonly required: string
  readonly tooLong: (max: number) => string
  readonly notAnAddress: string
  readonly notAnAddressNamed: (address: string) => string
  readonly tooManyGuests: (max: number) => string
  readonly chooseAgain: string
  readonly taken: string
  readonly otherTimes: string
  readonly moreTimes: string
  readonly booked: string
  readonly bookedHint: string
  readonly pending: string
  readonly pendingHint: string
  readonly confirmTitle: string
  readonly confirmHint: string
  readonly confirm: string
  readonly rescheduled: string
  readonly yourBooking: string
  readonly when: string
  readonly who: string
  readonly meeting: string
  readonly meetingPending: string
  /** @param host who knows how to take part; null: not named */
  readonly meetingFailed: (host: string | null) => string
  readonly addToCalendar: string
  readonly calendarFile: string
  readonly reschedule: string
  readonly rescheduleTo: (before: string, after: string) => string
  readonly keep: string
  readonly cancel: string
  readonly cancelTitle: string
  readonly cancelReason: string
  readonly cancelled: string
  readonly cancelledHint: string
  readonly past: string
  readonly bookAgain: string
  readonly notFoundTitle: string
  readonly notFound: string
  readonly goneTitle: string
  readonly gone: string
  readonly tooManyTitle: string
  readonly tooMany: string
  readonly failedTitle: string
  readonly failed: string
}
