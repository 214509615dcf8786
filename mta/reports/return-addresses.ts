/**
 * Reads the return addresses (verp.ts) that a message came back to, or that a complaint names. Only addresses that a key of this installation
 * authenticates count.
 */

import type { KeyObject } from 'node:crypto'
import { readComplaint } from '../../jmap/mail/reports/complaint.ts'
import type { ReturnToken } from '../../jmap/mail/submission/return-token.ts'
import type { HeaderBlock } from '../../jmap/message/header-block.ts'
import { firstField, unfoldedText } from '../../jmap/message/headers.ts'
import { parseMessage } from '../../jmap/message/structure.ts'
import type { Clock } from '../../server/base/clock.ts'
import { COMPLAINT_BODY_BYTES } from '../../server/base/report-limits.ts'
import { readVerp, type VerpToken } from './verp.ts'

export interface ReturnAddresses {
  /** The token in an address; null: it is no return address of this installation. */
  read(address: string): VerpToken | null
  /** The tokens of the return addresses that a message was sent to, or complains about. @param header of the message */
  tokensOf(recipients: readonly string[], bytes: Buffer, header: HeaderBlock): ReturnToken[]
}

/** @param keys secrets of the return addresses; without any there are no return addresses */
export function returnAddresses(keys: readonly KeyObject[], clock: Clock): ReturnAddresses {
  const read = (address: string) => (keys.length === 0 ? null : readVerp(address, keys, clock.now()))
  return {
    read,
    tokensOf(recipients, bytes, header) {
      const addressed = recipients.flatMap((address) => withRole(read(address), true))
      const mentioned = mentionedIn(bytes, header).flatMap((address) => withRole(read(address), false))
      const known = new Set(addressed.map(tokenKey))
      return [...addressed, ...mentioned.filter((token) => !known.has(tokenKey(token)))]
    },
  }
}

function withRole(token: VerpToken | null, isAddressee: boolean): ReturnToken[] {
  return token ? [{ ...token, isAddressee }] : []
}

function tokenKey({ account, submission, position }: VerpToken): string {
  return `${account} ${submission} ${position}`
}

/** RFC 5965 3.2: a feedback report names the reverse-path of its message. Other messages are not parsed, and of these only the beginning. */
function mentionedIn(bytes: Buffer, { fields, bodyStart }: HeaderBlock): readonly string[] {
  const type = firstField(fields, 'Content-Type')
  if (!type || !/feedback-report/i.test(unfoldedText(bytes, type))) return []
  const beginning = bytes.subarray(0, bodyStart + COMPLAINT_BODY_BYTES)
  return readComplaint(beginning, parseMessage(beginning))?.returnPaths ?? []
}
