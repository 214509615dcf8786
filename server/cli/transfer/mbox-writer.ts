/**
 * An mbox of the kind mboxrd: lines that begin with `From ` after any number of `>` get one more, so that all come back. Keywords are in
 * the fields Status and X-Status, as readers of mboxes know them, and the time of arrival in the line before each message. A field of ours
 * says what the exact octets of the message are.
 */
import { octetsField } from '../../imports/files/exact-octets.ts'

const LF = 0x0a

export interface MboxMessage {
  readonly octets: Buffer
  readonly keywords: readonly string[]
  /** UTCDate */
  readonly receivedAt: string
}

/** @returns the message as it stands in the file, with CRLF as in the message and a blank line after it */
export function mboxEntry({ octets, keywords, receivedAt }: MboxMessage): Buffer {
  const fields = statusFields(keywords)
  const ending = octets.at(-1) === LF ? '\r\n' : '\r\n\r\n'
  return Buffer.concat([
    Buffer.from(`From MAILER-DAEMON ${asctime(new Date(receivedAt))}\r\n${fields}${octetsField(octets)}`),
    quoted(octets),
    Buffer.from(ending),
  ])
}

/** RFC 4155 A: the form of asctime, in UTC. */
function asctime(time: Date): string {
  const [, weekday, day, month, year, clock] = /^(\w{3}), (\d\d) (\w{3}) (\d{4}) (\S+)/.exec(time.toUTCString())!
  return `${weekday} ${month} ${day!.replace(/^0/, ' ')} ${clock} ${year}`
}

const X_STATUS: readonly (readonly [letter: string, keyword: string])[] = [
  ['A', '$answered'],
  ['F', '$flagged'],
  ['T', '$draft'],
]

function statusFields(keywords: readonly string[]): string {
  const x = X_STATUS.filter(([, keyword]) => keywords.includes(keyword)).map(([letter]) => letter)
  return `Status: ${keywords.includes('$seen') ? 'RO' : 'O'}\r\n${x.length > 0 ? `X-Status: ${x.join('')}\r\n` : ''}`
}

const FROM = Buffer.from('From ')
const QUOTE = 0x3e

function quoted(octets: Buffer): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (let at = octets.indexOf(FROM); at >= 0; at = octets.indexOf(FROM, at + 1)) {
    let start = at
    while (start > 0 && octets[start - 1] === QUOTE) start--
    if (start > 0 && octets[start - 1] !== LF) continue
    pieces.push(octets.subarray(from, start), Buffer.from('>'))
    from = start
  }
  return Buffer.concat([...pieces, octets.subarray(from)])
}
