/** Tables of the docs that are generated from the program's own values, so that they are correct. */

import { SCOPES } from '../../../jmap/directory/scopes.ts'
import { DEFAULT_RATES, type Tier } from '../../../rest/access/rate-tiers.ts'
import { API_ERRORS } from '../../../rest/errors/api-error.ts'
import { WEBHOOK_EVENT_TYPES, WEBHOOK_EVENTS } from '../../../rest/openapi/webhook-events.ts'
import { htmlText } from '../html.ts'

export function errorsTable(): string {
  const rows = Object.entries(API_ERRORS).map(([code, { status, type, message }]) => [
    String(status),
    codeCell(type),
    codeCell(code),
    htmlText(message),
  ])
  return table(['Status', 'Type', 'Code', 'Meaning'], rows)
}

export function scopesTable(): string {
  const rows = Object.entries(SCOPES).map(([scope, meaning]) => [codeCell(scope), htmlText(meaning)])
  return table(['Scope', 'Allows'], rows)
}

const TIERS: { readonly [T in Tier]: string } = {
  read: 'What only reads',
  write: 'What changes something',
  send: 'Messages and replies',
  verification: 'DNS records and checks of one domain',
}

export function ratesTable(): string {
  const rows = Object.entries(TIERS).map(([tier, meaning]) => [
    codeCell(tier),
    meaning,
    DEFAULT_RATES[tier as Tier].toLocaleString('en'),
  ])
  return table(['Tier', 'Operations', 'Requests a minute'], rows)
}

export function eventsTable(): string {
  const rows = WEBHOOK_EVENT_TYPES.map((type) => {
    const { meaning, data } = WEBHOOK_EVENTS[type]
    const members = Object.keys(data.json.properties ?? {})
    return [codeCell(type), htmlText(meaning), members.map(codeCell).join(' ')]
  })
  return table(['event_type', 'Meaning', 'data'], rows)
}

function codeCell(text: string): string {
  return `<code>${htmlText(text)}</code>`
}

/** @param rows HTML */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) => line('td', row)).join('\n')
  return `<div class="table"><table><thead>${line('th', head)}</thead><tbody>\n${body}\n</tbody></table></div>`
}
