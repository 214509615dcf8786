/**
 * From text to the words that are indexed, the same for both engines: they are given these tokens, separated by spaces, and must
 * not cut or fold any further. Case and accents are folded by Unicode; text without spaces (CJK) becomes overlapping pairs.
 */

import { Buffer } from 'node:buffer'

/** Scripts that are written without spaces between words, with the marks that they share (such as the kana's long vowel). */
export const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u
export const WORD = /[\p{L}\p{N}\p{M}]+/gu
/**
 * Accents and vowel points, which readers leave out, and joiners and soft hyphens, which they do not see. The signs of other scripts
 * (Devanagari vowels, Thai tones, the kana's voicing) make other words.
 */
const UNSEEN =
  /[[[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]&&\p{M}]--[\u3099\u309A]]|[\u00AD\u200C\u200D\u2060\uFEFF]/gv
const ASCII_ONLY = /^[\x00-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+/g
/** Words longer than this are base64 and the like; nobody types them. */
const TOKEN_MAX_CHARS = 64

/** Tokens in the order of the text, so that phrases can be found. */
export function tokenize(text: string): string[] {
  if (ASCII_ONLY.test(text)) return (text.toLowerCase().match(ASCII_WORD) ?? []).map(clip)
  const tokens: string[] = []
  for (const [word] of fold(text).matchAll(WORD)) {
    cutWord(word, (token) => tokens.push(token))
  }
  return tokens
}

/** The tokens with a space between. */
export function tokenText(text: string): string {
  return asciiTokenText(text) ?? tokenize(text).join(' ')
}

/** Of each ASCII character what it is in a token: itself in lower case, or 0 for what stands between tokens. */
const IN_TOKEN = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0
})
const SPACE = 0x20
/** Most texts fit. */
const SCRATCH = Buffer.alloc(16_384)

/** The same without a string for each token, which is what most of the time went into; null for a text that is not all ASCII. */
function asciiTokenText(text: string): string | null {
  const { length } = text
  if (Buffer.byteLength(text) !== length) return null
  const octets = length <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(length)
  octets.write(text, 'latin1')
  // What is written never overtakes what is read.
  let end = 0
  let start = 0
  for (let i = 0; i < length; i++) {
    const letter = IN_TOKEN[octets[i]!]!
    if (letter !== 0) {
      if (end - start < TOKEN_MAX_CHARS) octets[end++] = letter
    } else if (end > start) {
      octets[end++] = SPACE
      start = end
    }
  }
  return octets.toString('latin1', 0, end > start ? end : Math.max(0, end - 1))
}

/** Lower case, compatibility forms and accents gone: what is equal here is equal to a reader. */
export function fold(text: string): string {
  // By way of capitals, which is what makes the sharp s two letters and both small sigmas one (full case folding, nearly).
  return text
    .normalize('NFKD')
    .replace(UNSEEN, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('\u03c2', '\u03c3')
    .normalize('NFKC')
}

/**
 * The tokens of a run of letters, digits and marks: the run itself, or, where scripts mix, its pieces; unspaced pieces as pairs, the
 * last character alone as well.
 * @param add takes a token and where it stands in the run
 */
export function cutWord(run: string, add: (token: string, start: number, end: number) => void): void {
  if (!UNSPACED.test(run)) {
    add(clip(run), 0, run.length)
    return
  }
  let plain = ''
  let previous = ''
  let at = 0
  const endPlain = () => {
    if (plain) add(clip(plain), at - plain.length, at)
    plain = ''
  }
  const endPair = () => {
    if (previous) add(previous, at - previous.length, at)
    previous = ''
  }
  for (const character of run) {
    if (UNSPACED.test(character)) {
      endPlain()
      if (previous) add(previous + character, at - previous.length, at + character.length)
      previous = character
    } else {
      endPair()
      plain += character
    }
    at += character.length
  }
  endPlain()
  endPair()
}

function clip(token: string): string {
  return token.length > TOKEN_MAX_CHARS ? token.slice(0, TOKEN_MAX_CHARS) : token
}

/** One thing that must be found: tokens one after the other; the last one may be the beginning of a word. */
export interface Phrase {
  readonly tokens: readonly string[]
  readonly prefix: boolean
}

const PARTS = /(["'])((?:\\.|(?!\1).)*)\1|(\S+)/gsu

/**
 * What a user typed: words that are all required, phrases in double or single quotes (RFC 8621 4.4.1), `word*` for beginnings of two
 * characters or more. Text without any word in it gives an empty list, which matches nothing.
 */
export function parseSearch(text: string): Phrase[] {
  const phrases: Phrase[] = []
  for (const [, , quoted, word] of text.matchAll(PARTS)) {
    const source = quoted?.replaceAll(/\\(.)/gsu, '$1') ?? word ?? ''
    const tokens = tokenize(source)
    if (tokens.length === 0) continue
    const ending = endingOf(tokens)
    phrases.push({
      tokens: ending === 'repeated' ? tokens.slice(0, -1) : tokens,
      prefix: ending === 'begun' || (quoted === undefined && isBeginning(source, tokens.at(-1)!)),
    })
  }
  return phrases
}

/** Characters that a beginning has at least: an index goes through all words that begin so, those of other accounts with them. */
const PREFIX_MIN_CHARS = 2

function isBeginning(source: string, last: string): boolean {
  return fold(source).endsWith('*') && last.length >= PREFIX_MIN_CHARS
}

/**
 * What the last character of an unspaced run is: in the pair before it already, so that it would only bind the end of the run; or
 * all there is, which is found at the beginning of pairs too.
 */
function endingOf(tokens: readonly string[]): 'repeated' | 'begun' | 'word' {
  const last = tokens.at(-1)!
  if (!isSingle(last)) return 'word'
  const [first, second, ...more] = tokens.at(-2) ?? ''
  return first !== undefined && UNSPACED.test(first) && second === last && more.length === 0 ? 'repeated' : 'begun'
}

function isSingle(token: string): boolean {
  return UNSPACED.test(token) && [...token].length === 1
}
