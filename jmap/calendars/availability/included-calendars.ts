/** What the calendars of an account say about availability (JMAP Calendars 4). */
import type { Reader } from '../../../storage/ports.ts'
import { listCalendars, type StoredCalendar } from '../calendar/calendars.ts'
import { calendarsOf } from '../event/stored-event.ts'
import type { Attendance } from './claim.ts'
import { ownerZone } from './owner-zone.ts'

export class IncludedCalendars {
  readonly #modes: ReadonlyMap<number, StoredCalendar['data']['includeInAvailability']>
  readonly #zones: ReadonlyMap<number, string>
  readonly #ownerZone: string
  readonly #isAll: boolean

  private constructor(calendars: readonly StoredCalendar[], zone: string) {
    this.#modes = new Map(
      calendars.map(({ id, data }) => [id, data.isSubscribed ? data.includeInAvailability : 'none']),
    )
    this.#zones = new Map(
      calendars.flatMap(({ id, data }): [number, string][] => (data.timeZone === null ? [] : [[id, data.timeZone]])),
    )
    this.#ownerZone = zone
    this.#isAll = [...this.#modes.values()].every((mode) => mode === 'all')
  }

  static async read(reader: Reader, account: number): Promise<IncludedCalendars> {
    return new IncludedCalendars(await listCalendars(reader, account), await ownerZone(reader, account))
  }

  /** @param calendars the column of an event. One of them that includes it is enough. */
  includes(calendars: string, attendance: Attendance): boolean {
    if (attendance === 'free' || this.#isAll) return attendance !== 'free'
    return calendarsOf(calendars).some((calendar) => {
      const mode = this.#modes.get(calendar) ?? 'all'
      return mode === 'all' || (mode === 'attending' && attendance === 'attending')
    })
  }

  /** The zone in which a floating event happens: its calendar's, if that has one, else its owner's (decision D32). */
  zoneOf(calendars: string): string {
    if (this.#zones.size === 0) return this.#ownerZone
    const own = calendarsOf(calendars).find((calendar) => this.#zones.has(calendar))
    return (own === undefined ? undefined : this.#zones.get(own)) ?? this.#ownerZone
  }
}
