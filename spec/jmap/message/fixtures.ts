/** Messages for the tests of this folder, written as lines. */
import { Buffer } from 'node:buffer'
import { type BodyPart, type ParsedMessage, parseMessage } from '../../../jmap/message/structure.ts'

/** The octets of a message given as lines; each code unit is one octet. */
export function message(...lines: string[]): Buffer {
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

export function parse(...lines: string[]): ParsedMessage {
  return parseMessage(message(...lines))
}

/** The only part of a message with this header and body. */
export function onlyPart(header: readonly string[], body = ''): BodyPart {
  return parse(...header, '', body).structure.parts[0] as BodyPart
}

/** Labels of part numbers: the decoded first word of each leaf's body. */
export function labels(parsed: ParsedMessage, bytes: Buffer, numbers: readonly number[]): string[] {
  return numbers.map((number) => {
    const part = parsed.structure.parts[number - 1] as BodyPart
    return bytes.toString('latin1', part.bodyStart, part.bodyEnd).trim()
  })
}
