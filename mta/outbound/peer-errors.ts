/** What an error of a connection to a mail host means. */
import { errorMessage } from '../../server/base/errors.ts'
import { normalizeReply, oneLine } from '../smtp/reply.ts'
import type { Contact } from './destinations.ts'
import type { PeerError } from './transaction.ts'

/** 503 means that the session was in a wrong state, not that the message is refused. */
export function isTemporary({ responseCode }: PeerError): boolean {
  return !responseCode || responseCode < 500 || responseCode > 599 || responseCode === 503
}

/** RFC 7504: a host that accepts no mail replies 521, or 556 for a domain. */
export function isPermanent({ responseCode }: PeerError): boolean {
  return responseCode === 521 || responseCode === 556
}

/** A refused or lost connection costs no time, so it does not change the slots of the destination. */
export function contactOf({ code }: PeerError): Contact {
  return code === 'ETIMEDOUT' ? 'silent' : 'none'
}

export function connectReply(error: PeerError): string {
  return error.response ? normalizeReply(error.response) : oneLine(`451 4.4.1 No connection: ${errorMessage(error)}`)
}

export function lostReply(error: PeerError): string {
  return oneLine(`451 4.4.2 The connection was lost: ${errorMessage(error)}`)
}
