/** Letters to the owner of an organization that does not pay: on the days 0, 7 and 13 of the time of grace (decision D33). */
import { PLANS } from '../../server/base/sending-limits.ts'
import { writeNotice } from '../mail/email/notice.ts'
import type { BillingState } from '../policy/billing/transition.ts'
import { graceEnd } from '../policy/billing/transition.ts'
import { formatUTCDate } from '../protocol/primitives.ts'

export interface GraceLetter {
  readonly from: string
  readonly to: string
  /** Its number, from 0. */
  readonly number: number
  readonly state: BillingState
  /** Epoch ms. */
  readonly now: number
}

export function writeGraceLetter({ from, to, number, state, now }: GraceLetter): Uint8Array {
  const { status, plan, unpaid_since: since } = state
  const name = plan === null ? 'your plan' : `the ${PLANS[plan].name} plan`
  const hasEnded = status === 'ended'
  const day = dayOf(graceEnd(state) ?? now)
  const begun = dayOf(since ?? now)
  const what = hasEnded
    ? `Your subscription to ${name} ended on ${begun}.`
    : `The payment for ${name} failed on ${begun}.`
  const text = [
    what,
    '',
    hasEnded
      ? `Your mailboxes receive mail until ${day}, and send none.`
      : `Your mailboxes send and receive mail as before until ${day}.`,
    'Then they are suspended: they send nothing, and mail to them is deferred for a week and refused after that.',
    'What is in them stays.',
    '',
    hasEnded ? 'Subscribe again to keep them.' : 'Change the card or pay in the billing portal.',
    '',
  ].join('\n')
  const subject = hasEnded
    ? 'Your subscription has ended'
    : number === 0
      ? 'A payment failed'
      : 'A payment is still open'
  const last = number > 0 ? `${subject}: mailboxes are suspended on ${day}` : subject
  return writeNotice({ from, to, subject: last, text, now })
}

function dayOf(time: number): string {
  return formatUTCDate(time).slice(0, 'yyyy-mm-dd'.length)
}
