/** Mail to the owner of an organization: the general form, and the mail about usage of its plan. */
import { randomUUID } from 'node:crypto'
import { generateMessage } from '../message/generate.ts'
import type { HeaderSpec } from '../message/header-encoding.ts'
import { domainOf } from '../message/mail-address.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { Threshold, Usage } from './thresholds.ts'

export interface Notice {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Epoch ms. */
  readonly now: number
}

export function writeNotice({ from, to, subject, text, now }: Notice): Uint8Array {
  const headers: HeaderSpec[] = [
    { name: 'From', form: 'Addresses', value: [{ name: 'Posthouse', email: from }] },
    { name: 'To', form: 'Addresses', value: [{ name: null, email: to }] },
    { name: 'Subject', form: 'Text', value: subject },
    { name: 'Date', form: 'Date', value: formatUTCDate(now) },
    { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domainOf(from)}`] },
    // RFC 3834 5: prevents automatic replies.
    { name: 'Auto-Submitted', form: 'Raw', value: ' auto-generated' },
  ]
  return generateMessage({ headers, body: { type: 'text/plain', content: { text } } }).bytes!
}

const WORDS = { sends: 'messages sent', mailboxes: 'mailboxes', aliases: 'aliases' } as const

export interface Letter {
  readonly from: string
  readonly to: string
  readonly plan: string
  readonly usage: Usage
  /** At most one for each resource. */
  readonly thresholds: readonly Threshold[]
  /** Epoch ms at which the count of sends starts again. */
  readonly periodEnd: number
  /** Epoch ms. */
  readonly now: number
}

export function writeLetter({ from, to, plan, usage, thresholds, periodEnd, now }: Letter): Uint8Array {
  const lines = thresholds.map(({ resource, percent }) => {
    const { used, limit } = usage[resource]
    return `- ${WORDS[resource]}: ${used} of ${limit} (${percent === 100 ? 'all' : `${percent} % or more`})`
  })
  const isOver = thresholds.some(({ percent }) => percent === 100)
  const sends = thresholds.some(({ resource }) => resource === 'sends')
    ? [`Sends are counted anew from ${formatUTCDate(periodEnd).slice(0, 10)} on.`]
    : []
  const text = [`Your organization uses this much of the ${plan} plan:`, '', ...lines, '', ...sends, END, ''].join('\n')
  return writeNotice({ from, to, subject: `The ${plan} plan is ${isOver ? 'used up' : 'nearly used up'}`, text, now })
}

const END = 'What goes beyond the plan is refused until then, or until there is a larger plan.'
