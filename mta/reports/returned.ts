/**
 * Mail that comes back to return addresses of ours (mta/outbound/verp.ts), and complaints about mail that had them: what those addresses
 * name. Only what our own key has authenticated is passed on.
 */

import { parseMessage } from '../../jmap/mail/message/structure.ts'
import { readComplaint } from '../../jmap/mail/reports/complaint.ts'
import type { ReturnToken } from '../../jmap/mail/submission/return-token.ts'
import type { Clock } from '../../server/base/clock.ts'
import { readVerp, type VerpToken } from '../outbound/verp.ts'
import { fieldText, type HeaderBlock } from '../smtp/header-block.ts'

export interface ReturnAddresses {
  /** What an address names; null when it is no return address of ours. */
  read(address: string): VerpToken | null
  /** What a message has come back to, or complains about. @param header of the message */
  tokensOf(recipients: readonly string[], bytes: Buffer, header: HeaderBlock): ReturnToken[]
}

/** @param keys secrets of the installation that return addresses are made with; without any there are none */
export function returnAddresses(keys: readonly Uint8Array[], clock: Clock): ReturnAddresses {
  const read = (address: string) => (keys.length === 0 ? null : readVerp(address, keys, clock.now()))
  return {
    read,
    tokensOf(recipients, bytes, header) {
      const addressed = recipients.flatMap((address) => withRole(read(address), true))
      const mentioned = mentionedIn(bytes, header).flatMap((address) => withRole(read(address), false))
      const known = new Set(addressed.map(nameOf))
      return [...addressed, ...mentioned.filter((token) => !known.has(nameOf(token)))]
    },
  }
}

function withRole(token: VerpToken | null, isAddressee: boolean): ReturnToken[] {
  return token ? [{ ...token, isAddressee }] : []
}

function nameOf({ account, submission, position }: VerpToken): string {
  return `${account} ${submission} ${position}`
}

/** RFC 5965 3.2: a feedback report names the reverse-path of its message. Other mail is not looked into. */
function mentionedIn(bytes: Buffer, { fields }: HeaderBlock): readonly string[] {
  const type = fields.find(({ name }) => name === 'content-type')
  if (!type || !/feedback-report/i.test(fieldText(bytes, type))) return []
  return readComplaint(bytes, parseMessage(bytes))?.returnPaths ?? []
}
