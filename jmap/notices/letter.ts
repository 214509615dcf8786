/** Mail to the owner of an organization about usage of its plan. */
import { writeNotice } from '../mail/email/notice.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { Threshold, Usage } from './thresholds.ts'

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
