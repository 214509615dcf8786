/** Finds what a visitor sees of a calendar: a month, the chosen day, the neighbours. */
import type { Interval } from '../../../jmap/calendars/availability/slots.ts'
import type { Html } from '../html.ts'
import type { Language } from './languages.ts'
import { addMonths, makeMonth, monthOf, rangeOfMonth } from './months.ts'
import type { TimeTexts } from './time-texts.ts'
import type { ViewState } from './view-state.ts'
import { chooseTime } from './views/choose-time.ts'

const DAY_MS = 86_400_000
/** Months that are searched for the first free time, if the visitor has named none. */
const MONTHS_SEARCHED = 3

export interface Chooser {
  readonly language: Language
  readonly texts: TimeTexts
  readonly state: ViewState
  readonly timezone: string
  readonly maxAdvanceDays: number
  /** Epoch ms. */
  readonly now: number
  /** null: there is nothing to book any more. */
  readonly slots: (range: Interval) => Promise<readonly Interval[] | null>
}

/** null: there is nothing to book any more. */
export async function choose(chooser: Chooser): Promise<Html | null> {
  const { state, timezone, now, maxAdvanceDays } = chooser
  const first = monthOf(now, timezone)
  const last = monthOf(now + maxAdvanceDays * DAY_MS, timezone)
  let month = state.month ?? state.date?.slice(0, 7) ?? first
  const isNamed = state.month !== null || state.date !== null
  let found = await chooser.slots(rangeOfMonth(month, timezone))
  for (let tries = 1; !isNamed && found?.length === 0 && month < last && tries < MONTHS_SEARCHED; tries++) {
    month = addMonths(month, 1)
    found = await chooser.slots(rangeOfMonth(month, timezone))
  }
  if (!found) return null
  const shown = makeMonth(month, found, timezone)
  const day =
    shown.days.find(({ date }) => date === state.date) ?? shown.days.find(({ slots }) => slots.length > 0) ?? null
  const { language, texts } = chooser
  return chooseTime({
    language,
    texts,
    state,
    timezone,
    month: shown,
    day,
    hasPrevious: month > first,
    hasNext: month < last,
  })
}
