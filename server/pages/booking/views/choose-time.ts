/** The choice of a day and a time: a month with links on the days that have free slots, and the slots of one day. */
import { type Html, html } from '../../html.ts'
import type { Language } from '../languages.ts'
import { addMonths, type Day, type Month, weeksOf } from '../months.ts'
import type { TimeTexts } from '../time-texts.ts'
import { membersOf, urlOf, type ViewState } from '../view-state.ts'

export interface Choice {
  readonly language: Language
  readonly texts: TimeTexts
  readonly state: ViewState
  /** IANA zone in which times are shown. */
  readonly timezone: string
  readonly month: Month
  /** The chosen day; null: the month has none. */
  readonly day: Day | null
  readonly hasPrevious: boolean
  readonly hasNext: boolean
}

export function chooseTime(choice: Choice): Html {
  const { words } = choice.language
  return html`<div class="choose"${choice.state.timezone === null && html` data-detect-zone="${choice.timezone}"`}>
<section class="month" aria-labelledby="month">
<h2 class="visually-hidden">${words.chooseTime}</h2>
${monthNavigation(choice)}
${monthTable(choice)}
${choice.day === null && html`<p role="status">${words.noTimesInMonth}</p>`}
</section>
${choice.day !== null && daySlots(choice, choice.day)}
${zoneForm(choice)}
</div>`
}

function monthNavigation({ language: { words }, texts, state, month, hasPrevious, hasNext }: Choice): Html {
  const link = (count: number, name: string, sign: string) =>
    html`<a data-swap rel="${count < 0 ? 'prev' : 'next'}" href="${urlOf(state, {
      month: addMonths(month.month, count),
      date: null,
      start: null,
    })}" aria-label="${name}">${sign}</a>`
  return html`<nav class="months">
${hasPrevious ? link(-1, words.previousMonth, '‹') : html`<span></span>`}
<strong id="month" aria-live="polite">${texts.month(month.month)}</strong>
${hasNext ? link(1, words.nextMonth, '›') : html`<span></span>`}
</nav>`
}

function monthTable(choice: Choice): Html {
  const { language, texts, month } = choice
  const { weekStart } = language.words
  const head = texts
    .weekdays(weekStart)
    .map(({ short, long }) => html`<th scope="col"><abbr title="${long}">${short}</abbr></th>`)
  const rows = weeksOf(month, weekStart).map(
    (week) => html`<tr>${week.map((day) => html`<td>${day && dayCell(choice, day)}</td>`)}</tr>\n`,
  )
  return html`<table aria-labelledby="month">
<thead><tr>${head}</tr></thead>
<tbody>
${rows}</tbody>
</table>`
}

function dayCell({ language: { words }, texts, state, month, day: chosen }: Choice, day: Day): Html {
  const number = Number(day.date.slice(8))
  if (day.slots.length === 0) return html`<span class="day">${number}</span>`
  const name = `${texts.date(day.date)}, ${words.timesCount(day.slots.length)}`
  const href = urlOf(state, { month: month.month, date: day.date, start: null })
  const current = day.date === chosen?.date && html` aria-current="date"`
  return html`<a data-swap class="day free" href="${href}" aria-label="${name}"${current}>${number}</a>`
}

function daySlots({ language: { words }, texts, state, month }: Choice, { date, slots }: Day): Html {
  const links = slots.map(({ start }) => {
    const href = urlOf(state, { month: month.month, date, start })
    return html`<li><a data-swap href="${href}">${texts.time(start)}</a></li>\n`
  })
  return html`<section class="slots" aria-labelledby="day">
<h2 id="day">${words.timesOn(texts.date(date))}</h2>
${slots.length === 0 ? html`<p>${words.noTimesOnDay}</p>` : html`<ul>\n${links}</ul>`}
</section>`
}

function zoneForm({ language: { words }, texts, state, timezone }: Choice): Html {
  const kept = membersOf({ ...state, timezone: null, hours: null, start: null, date: null, month: null })
  const clock = (hours: 12 | 24, name: string) =>
    html`<label><input type="radio" name="hours" value="${hours}"${texts.hours === hours && html` checked`}> ${name}</label>`
  return html`<form class="zone" method="get" action="${state.path}" data-swap>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<p><label for="timezone">${words.timezone}</label>
<select id="timezone" name="timezone">${zoneOptions(timezone)}</select></p>
<fieldset><legend>${words.clock}</legend>
${clock(12, words.clock12)} ${clock(24, words.clock24)}
</fieldset>
<p><button class="quiet">${words.apply}</button></p>
</form>`
}

const ZONES: readonly string[] = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

function zoneOptions(chosen: string): Html[] {
  // An alias that the visitor's browser uses, such as Asia/Calcutta, is offered as well.
  const zones = ZONES.includes(chosen) ? ZONES : [chosen, ...ZONES]
  return zones.map((zone) => html`<option${zone === chosen && html` selected`}>${zone}`)
}
