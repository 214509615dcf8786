/** Splits the octets of a connection, in chunks of any size, into the replies of a mail server (RFC 5321 4.2). */
import { isUtf8 } from 'node:buffer'

const LF = 0x0a
const HYPHEN = 0x2d

export class ReplyReader {
  readonly #maxBytes: number
  #pending: Buffer | null = null
  /** Lines of an incomplete reply. */
  #lines: string[] = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws Error when a reply is too long */
  add(chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) throw new Error('Server response exceeds maximum allowed size')
    this.#pending = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk
  }

  /** The next complete reply, its lines joined by LF; null: there is none yet. */
  next(): string | null {
    while (this.#pending) {
      const bytes = this.#pending
      const lf = bytes.indexOf(LF)
      if (lf < 0) return null
      this.#pending = lf + 1 < bytes.length ? bytes.subarray(lf + 1) : null
      const line = lineText(bytes.subarray(0, lf))
      if (line.trim() === '' && this.#lines.length === 0) continue
      this.#lines.push(line)
      if (isContinued(line)) continue
      const reply = this.#lines.length === 1 ? line : this.#lines.join('\n')
      this.#lines = []
      this.#size = this.#pending?.length ?? 0
      return reply
    }
    return null
  }

  /** The octets that are left: unexpected replies, or the beginning of one. */
  rest(): Buffer {
    return Buffer.concat([
      Buffer.from(this.#lines.map((line) => `${line}\n`).join('')),
      this.#pending ?? Buffer.alloc(0),
    ])
  }
}

function isContinued(line: string): boolean {
  return line.charCodeAt(3) === HYPHEN && /^\d+-/.test(line)
}

/** RFC 5321 4.2.1 names no charset: a line is UTF-8 if it is valid UTF-8, else Latin-1. */
function lineText(bytes: Buffer): string {
  const end = bytes[bytes.length - 1] === 0x0d ? bytes.length - 1 : bytes.length
  const line = bytes.subarray(0, end)
  return line.toString(isUtf8(line) ? 'utf8' : 'latin1')
}
