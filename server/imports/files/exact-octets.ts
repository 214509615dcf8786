/**
 * How files that we export say that they hold the exact octets of messages. An mbox changes messages: their line ends, what stands after the
 * last one, and fields that belong to mailboxes. So a field before the message has its size and its SHA-256, and who reads the file otherwise
 * sees one more field. A zip says it once, in its comment: an .eml of others may lie there with the line ends of its system.
 */
import { hash } from 'node:crypto'
import { everyLineWithCrlf } from '../../base/line-ends.ts'
import { hashInTurns } from '../../base/turns.ts'

/** Comment of a zip whose .eml files are messages as they were stored. */
export const EXACT_ZIP = 'Posthouse-Octets'

/** The last field of those that an mbox puts before a message. */
export function octetsField(message: Uint8Array): string {
  return `Posthouse-Octets: ${message.length} ${hash('sha256', message, 'base64url')}\r\n`
}

const BEFORE = /^((?:(?:X-)?Status: [^\r\n]{0,64}\r?\n){0,2})Posthouse-Octets: (\d{1,10}) ([\w-]{43})\r?\n/
const BEFORE_MAX = 300

export interface ExactMessage {
  readonly octets: Buffer
  /** Letters of the fields Status and X-Status that the mbox put before it. */
  readonly status: string
}

/**
 * @param text of an mbox, without its From_ line and without quoting
 * @returns null: it has no such field, or was changed since
 */
export async function exactMessage(text: Buffer): Promise<ExactMessage | null> {
  const [head, status, size, digest] = BEFORE.exec(text.subarray(0, BEFORE_MAX).toString('latin1')) ?? []
  if (head === undefined) return null
  const letters = status!.replaceAll(/^.*?: |[\r\n]/gm, '')
  const isExact = async (octets: Buffer) =>
    octets.length === Number(size) && (await hashInTurns([octets])).toString('base64url') === digest
  const stored = text.subarray(head.length)
  const cut = stored.subarray(0, Number(size))
  if (await isExact(cut)) return { octets: cut, status: letters }
  // Programs of Unix write mboxes with LF alone.
  const octets = (await everyLineWithCrlf(stored)).subarray(0, Number(size))
  return (await isExact(octets)) ? { octets, status: letters } : null
}
