/** The states of subscribers and what moves them (decision D18). Pure. */
import type { EventType } from '../../events/event-types.ts'
import type { SUBSCRIBER_STATUSES } from '../subscriber/subscriber.type.ts'

export type Status = (typeof SUBSCRIBER_STATUSES)[number]

export type Trigger =
  /** By a link, one-click, or the API. */
  | 'unsubscribed'
  /** Of a newsletter. */
  | 'bounced'
  | 'complained'
  /** A suppression that other mail, or a client, has added. */
  | 'suppressed'
  | 'suppressionRemoved'
  /** The recipient wants service mail only. */
  | 'serviceMailOnly'
  /** The recipient confirmed a sign-up. Adding over the API never does this. */
  | 'reconfirmed'

type Moves = { readonly [from in Status]?: Status }

const MOVES: { readonly [trigger in Trigger]: Moves } = {
  unsubscribed: { subscribed: 'unsubscribed', transactional_only: 'unsubscribed' },
  bounced: { subscribed: 'bounced' },
  complained: { subscribed: 'complained' },
  suppressed: { subscribed: 'suppressed' },
  suppressionRemoved: { suppressed: 'subscribed', bounced: 'subscribed' },
  serviceMailOnly: { subscribed: 'transactional_only' },
  reconfirmed: { unsubscribed: 'subscribed', transactional_only: 'subscribed' },
}

/** Decision D34. Other moves have no event. */
export const TRIGGER_EVENTS: { readonly [trigger in Trigger]?: EventType } = {
  unsubscribed: 'subscriber.unsubscribed',
  bounced: 'subscriber.bounced',
  complained: 'subscriber.complained',
}

/** The state after a trigger; null: it does not change. @param hasOptOut of the address, from now on */
export function moved(from: Status, trigger: Trigger, hasOptOut: boolean): Status | null {
  const to = MOVES[trigger][from]
  if (to === undefined) return null
  return to === 'subscribed' && hasOptOut ? 'unsubscribed' : to
}

/** Whether adding the address again merges what is new. Else it is skipped. */
export function isMailable(status: Status): boolean {
  return status === 'subscribed' || status === 'transactional_only'
}
