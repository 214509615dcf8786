/**
 * Finds the words of an HTML version that its plain version lacks. Most mails carry their text twice; indexing it once halves the
 * search index.
 */

/** Words beyond the plain version before the whole HTML version is indexed. */
const MAX_EXTRA_WORDS = 16
/** Positions at which a word that is not the next one is searched. */
const MAX_TRIES = 4

/** 1 for letters, digits and all characters beyond ASCII except the no-break space. */
const WORD_CHARS = Uint8Array.from({ length: 256 }, (_, code) =>
  code > 0xa0 || /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/**
 * The text of the HTML version that the plain one lacks: nothing, a few words, or all of it if it differs much. Both are read side by
 * side. A word that is not next in `plain` is searched further on; after MAX_EXTRA_WORDS that are not found the whole text is returned.
 * Linear.
 */
export function wordsBeyond(plain: string, html: string): string {
  const extra: string[] = []
  let at = 0
  let index = 0
  for (;;) {
    index = skipToWord(html, index)
    if (index >= html.length) return extra.join(' ')
    at = skipToWord(plain, at)
    const same = commonLength(plain, at, html, index)
    const next = index + same
    // The texts diverge at the end of a word in both: continue with the next word.
    if (!isWordChar(html.charCodeAt(next)) && !isWordChar(plain.charCodeAt(at + same))) {
      index = next
      at += same
      continue
    }
    const start = wordStart(html, next, index)
    const end = wordEnd(html, next)
    const from = at + start - index
    const word = html.slice(start, end)
    const found = findWord(plain, word, from)
    at = found >= 0 ? found + word.length : from
    if (found < 0 && extra.push(word) > MAX_EXTRA_WORDS) return html
    index = end
  }
}

function commonLength(plain: string, at: number, html: string, index: number): number {
  let offset = 0
  const length = Math.min(plain.length - at, html.length - index)
  while (offset < length && plain.charCodeAt(at + offset) === html.charCodeAt(index + offset)) offset++
  return offset
}

function wordStart(text: string, from: number, floor: number): number {
  let index = from
  while (index > floor && isWordChar(text.charCodeAt(index - 1))) index--
  return index
}

/** Index of `word` as a whole word at or after `from`, or -1. */
function findWord(text: string, word: string, from: number): number {
  let at = text.indexOf(word, from)
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries++) {
    if (!isWordChar(text.charCodeAt(at - 1)) && !isWordChar(text.charCodeAt(at + word.length))) return at
    at = text.indexOf(word, at + 1)
  }
  return -1
}

function skipToWord(text: string, from: number): number {
  let index = from
  while (index < text.length && !isWordChar(text.charCodeAt(index))) index++
  return index
}

function wordEnd(text: string, from: number): number {
  let index = from
  while (index < text.length && isWordChar(text.charCodeAt(index))) index++
  return index
}

/** NaN (beyond the end) is not a word character. */
function isWordChar(code: number): boolean {
  return code > 0xff || WORD_CHARS[code] === 1
}
