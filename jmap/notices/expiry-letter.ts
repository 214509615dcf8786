/** The text of a letter about a bought domain that expires, or is about to be renewed (decision D33). Pure. */
import { RENEWAL_BEFORE_MS } from '../../server/base/registration-limits.ts'
import type { Unmet } from '../policy/registration/order.ts'
import { formatUTCDate } from '../protocol/primitives.ts'

export interface ExpiryFacts {
  readonly name: string
  /** Id of the domain. */
  readonly id: string
  /** Epoch ms. */
  readonly expiresAt: number
  readonly autoRenew: boolean
  /** Why the last attempt at the renewal failed; null: it has not failed. */
  readonly reason: string | null
  /** Years that the registrar did not add; null: there are none. */
  readonly unmet: Unmet | null
  /** Of a year: `12.50 USD`. */
  readonly price: string
  /** false: the price was known once, and the registrar did not confirm it today. */
  readonly isPriceFresh: boolean
  /** false: nobody pays on this server. */
  readonly isCharged: boolean
  readonly now: number
}

export interface ExpiryText {
  readonly subject: string
  readonly text: string
}

/** A week before the charge. */
export function renewalText(facts: ExpiryFacts): ExpiryText {
  const { name, id, expiresAt, isCharged } = facts
  const [day, at] = [dayOf(expiresAt), dayOf(expiresAt - RENEWAL_BEFORE_MS)]
  const charge = isCharged ? [`The payment method of your organization is charged then. ${priceOf(facts)}`] : []
  return {
    subject: `${name} will be renewed on ${at}`,
    text: lines(
      `The domain ${name} expires on ${day}. It will be renewed for a year on ${at}.`,
      ...charge,
      '',
      `To let it expire, switch its renewal off before: set auto_renew of the domain ${id} to false.`,
    ),
  }
}

/** It is not renewed: the renewal is switched off, or fails. */
export function expiryText(facts: ExpiryFacts): ExpiryText {
  const { name, id, expiresAt, autoRenew, reason, isCharged, now } = facts
  const [expiry, loss] = [expiryOf(expiresAt, now), lossOf(expiresAt, now)]
  const price = isCharged ? [priceOf(facts)] : []
  if (!autoRenew)
    return {
      subject: `${name} ${expiry} and is not renewed`,
      text: lines(
        `The domain ${name} ${expiry}. Its renewal is switched off.`,
        loss,
        '',
        `To keep it, switch its renewal on: set auto_renew of the domain ${id} to true.`,
        ...price,
      ),
    }
  const mend = isCharged ? ['Change the card or pay in the billing portal, if the payment failed.'] : []
  return {
    subject: `${name} ${expiry} and could not be renewed`,
    text: lines(
      `The domain ${name} ${expiry}. It could not be renewed so far.`,
      reason === null ? 'The registrar has not answered.' : `The reason: ${reason}`,
      '',
      'The renewal is tried again each day.',
      ...price,
      ...mend,
      loss,
    ),
  }
}

/** The registrar accepted the renewal and did not carry it out. */
export function unmetRenewalText(facts: ExpiryFacts): ExpiryText {
  const { name, id, expiresAt, reason, isCharged, now } = facts
  const expiry = expiryOf(expiresAt, now)
  const back = isCharged ? ['The payment was given back.'] : []
  return {
    subject: `${name} ${expiry} and could not be renewed`,
    text: lines(
      `The domain ${name} ${expiry}. Its renewal was ordered, and has not come.`,
      `The reason: ${reason}`,
      ...back,
      '',
      'It is not ordered again by itself, because the domain could be renewed twice. If the renewal comes late, it costs nothing.',
      `To order it again, set auto_renew of the domain ${id} to false, and then to true.`,
      ...(isCharged ? [priceOf(facts)] : []),
      lossOf(expiresAt, now),
    ),
  }
}

/** Of the years that were ordered at once only the first came. */
export function missingYearsText(facts: ExpiryFacts, missing: number): ExpiryText {
  const { name, expiresAt, reason, isCharged, now } = facts
  const years = missing === 1 ? 'year' : 'years'
  return {
    subject: `${name} is registered for one year instead of ${missing + 1}`,
    text: lines(
      `The domain ${name} is registered. Its registrar did not add the ${missing} further ${years} that were ordered.`,
      `The reason: ${reason}`,
      ...(isCharged ? [`The payment for the ${missing} ${years} was given back.`] : []),
      '',
      `It ${expiryOf(expiresAt, now)}.`,
      'It is renewed 30 days before, as long as its auto_renew is true.',
    ),
  }
}

function expiryOf(expiresAt: number, now: number): string {
  return `${expiresAt <= now ? 'expired' : 'expires'} on ${dayOf(expiresAt)}`
}

function lossOf(expiresAt: number, now: number): string {
  return expiresAt <= now
    ? 'Mail to its addresses and its web sites may not work any more.'
    : 'From then on mail to its addresses and its web sites do not work, and somebody else may register it later.'
}

function priceOf({ price, isPriceFresh }: ExpiryFacts): string {
  return isPriceFresh ? `A year costs ${price}.` : `A year cost ${price} when the registrar was last asked.`
}

function lines(...all: readonly string[]): string {
  return [...all, ''].join('\n')
}

function dayOf(time: number): string {
  return formatUTCDate(time).slice(0, 'yyyy-mm-dd'.length)
}
