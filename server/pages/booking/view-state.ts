/** What of a booking page a visitor looks at. All of it is in the URL, so that every step works without JavaScript. */
import { isTimeZone } from '../../../jmap/calendars/recurrence/zone-offsets.ts'

export interface ViewState {
  /** Path of the page, or of a booking that is to be moved. */
  readonly path: string
  /** `2026-11`; null: the first month with a free time. */
  readonly month: string | null
  /** `2026-11-23`; null: the first day with a free time. */
  readonly date: string | null
  /** IANA zone; null: the visitor has chosen none. */
  readonly timezone: string | null
  /** null: as usual in the visitor's language. */
  readonly hours: 12 | 24 | null
  /** Epoch ms of the chosen slot. */
  readonly start: number | null
  readonly isEmbedded: boolean
  /** A booking is being moved. */
  readonly isMove: boolean
}

/** Members that are wrong are left out: a link that was cut off still shows the page. */
export function readViewState(path: string, query: URLSearchParams): ViewState {
  const get = (name: string) => query.get(name) ?? ''
  const start = Date.parse(get('start'))
  const hours = get('hours')
  return {
    path,
    month: isDate(`${get('month')}-01`) ? get('month') : null,
    date: isDate(get('date')) ? get('date') : null,
    timezone: isTimeZone(get('timezone')) ? get('timezone') : null,
    hours: hours === '12' ? 12 : hours === '24' ? 24 : null,
    start: Number.isNaN(start) ? null : start,
    isEmbedded: get('embed') === '1',
    isMove: get('move') === '1',
  }
}

function isDate(text: string): boolean {
  if (!/^20\d\d-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** The URL of a state, with some of it changed. */
export function urlOf(state: ViewState, change: Partial<ViewState> = {}): string {
  const query = new URLSearchParams(membersOf({ ...state, ...change })).toString()
  return query === '' ? state.path : `${state.path}?${query}`
}

/** The members that are not the default, for links and for hidden fields of forms. */
export function membersOf({ month, date, timezone, hours, start, isEmbedded, isMove }: ViewState): [string, string][] {
  const members: [string, string | null][] = [
    ['move', isMove ? '1' : null],
    ['month', month],
    ['date', date],
    ['start', start === null ? null : new Date(start).toISOString()],
    ['timezone', timezone],
    ['hours', hours === null ? null : String(hours)],
    ['embed', isEmbedded ? '1' : null],
  ]
  return members.filter((member): member is [string, string] => member[1] !== null)
}
