/** The pieces of a folded header field (RFC 5322 2.2.3): each begins with the white space at which it may be folded. */
import { Buffer } from 'node:buffer'
import { libmime } from './libmime.ts'

/** Why a value cannot be written, in words that name only the kind of the value. */
export interface EncodingFault {
  readonly fault: string
}

/** RFC 5322 2.1.1: the line length that SHOULD not be exceeded, and the one that MUST not. */
const LINE_SHOULD = 78
export const LINE_MUST = 998
/** RFC 2047 2: an encoded-word has at most 75 characters; this leaves room for `Subject: `. */
const ENCODED_WORD_MAX = 64
/** Longer words and runs of white space are written as encoded-words, which can be folded. */
export const WORD_MAX = 200
/** Octets of one address, message id or URL: it cannot be folded, so LINE_MUST limits it. */
export const ITEM_MAX = 900

export const LINE_BREAK: EncodingFault = { fault: 'the value has a line break or NUL in it' }

export function hasLineBreak(value: string): boolean {
  return /[\r\n\0]/.test(value)
}

/** `name: pieces`, folded into lines of LINE_SHOULD where possible, without the final CRLF. */
export function foldPieces(name: string, pieces: readonly string[]): string {
  const lines: string[] = []
  let line = `${name}:`
  for (const [index, piece] of pieces.entries()) {
    const isTooLong = line.length + piece.length > LINE_SHOULD
    // The line is only folded directly after the name for an encoded-word: some readers fail on an empty first line.
    if (isTooLong && (index > 0 || piece.startsWith(' =?') || line.length + piece.length > LINE_MUST)) {
      lines.push(line)
      line = piece
    } else {
      line += piece
    }
  }
  lines.push(line)
  return lines.join('\r\n')
}

/** Appends to the last piece. */
export function append(pieces: string[], text: string): void {
  pieces.push((pieces.pop() ?? '') + text)
}

/** RFC 2047: encoded-words of at most ENCODED_WORD_MAX characters, each in the shorter of B and Q. */
export function encodedWords(text: string): string[] {
  const octets = Buffer.byteLength(text)
  const escaped = text.replace(/[A-Za-z0-9!*+\-/ ]/g, '')
  const encoding = octets + 2 * Buffer.byteLength(escaped) > (octets * 4) / 3 + 4 ? 'B' : 'Q'
  const words = libmime().encodeWord(text, encoding, ENCODED_WORD_MAX)
  return words.split(' ').map((word) => ` ${word}`)
}

/** Drops control characters (CR, LF and NUL were refused before), and white space at the ends. */
export function clean(value: string): string {
  return value
    .toWellFormed()
    .replace(/[\0-\x08\x0a-\x1f\x7f]/g, '')
    .trim()
}
