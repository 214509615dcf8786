/** The places of a text's tokens in it, so that matches can be shown. */
import { fold, splitRun, WORD } from './tokens.ts'

/** A token and the part of the text that it comes from, in UTF-16 units. */
export interface Span {
  readonly token: string
  readonly start: number
  readonly end: number
}

/**
 * Pieces of a text that can be folded one by one with the same result as the whole text: a character with the marks and invisible
 * characters after it, a run of Korean letters, which may become syllables, and a run of ASCII, whose characters fold one by one.
 */
const KOREAN_LETTERS = String.raw`\u1100-\u11FF\uA960-\uA97F\uD7B0-\uD7FF\u3131-\u318E\uFFA0-\uFFDC`
const FOLLOWERS = String.raw`\p{M}\uFF9E\uFF9F\u00AD\u200C\u200D\u2060\uFEFF`
const PIECE = new RegExp(
  String.raw`[\x00-\x7F]+(?![${FOLLOWERS}])|[${KOREAN_LETTERS}][${KOREAN_LETTERS}${FOLLOWERS}]*|[^\p{M}]?[${FOLLOWERS}]*`,
  'gsu',
)
const ASCII_ONLY = /^[\x00-\x7F]*$/

/** The tokens that `tokenize` returns, in the same order, with their places. */
export function spansOf(text: string): Span[] {
  const { folded, starts, ends } = foldInPlace(text)
  const spans: Span[] = []
  for (const { 0: word, index } of folded.matchAll(WORD))
    splitRun(word, (token, from, to) => spans.push({ token, start: starts[index + from]!, end: ends[index + to - 1]! }))
  return spans
}

/** The folded text, and for each of its units the start and end of its piece in the original text. */
function foldInPlace(text: string): { folded: string; starts: number[]; ends: number[] } {
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const isAscii = ASCII_ONLY.test(piece)
    const part = isAscii ? piece.toLowerCase() : fold(piece)
    parts.push(part)
    for (let i = 0; i < part.length; i++) {
      starts.push(isAscii ? index + i : index)
      ends.push(isAscii ? index + i + 1 : index + piece.length)
    }
  }
  return { folded: parts.join(''), starts, ends }
}
