/**
 * Splits text into the tokens that both engines index. The engines get the tokens separated by spaces, and must not split or fold
 * them further. Case and accents are folded by Unicode; text without spaces (CJK) becomes overlapping pairs of characters.
 */

import { Buffer } from 'node:buffer'

/** Scripts that are written without spaces between words, and marks that they share, such as the kana's prolonged sound mark. */
export const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u
export const WORD = /[\p{L}\p{N}\p{M}]+/gu
/**
 * Accents and vowel points, which users leave out in searches, and joiners and soft hyphens, which are invisible. Signs of other scripts
 * (Devanagari vowels, Thai tones, the kana's voicing) distinguish words.
 */
const IGNORED =
  /[[[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]&&\p{M}]--[\u3099\u309A]]|[\u00AD\u200C\u200D\u2060\uFEFF]/gv
const ASCII_ONLY = /^[\x00-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+/g
/** Longer words are base64 and similar data, which users do not search. */
const TOKEN_MAX_CHARS = 64

/** Tokens in the order of the text. */
export function tokenize(text: string): string[] {
  if (ASCII_ONLY.test(text)) return (text.toLowerCase().match(ASCII_WORD) ?? []).map(clip)
  const tokens: string[] = []
  for (const [word] of fold(text).matchAll(WORD)) {
    splitRun(word, (token) => tokens.push(token))
  }
  return tokens
}

/** The tokens, separated by spaces. */
export function tokenText(text: string): string {
  return asciiTokenText(text) ?? tokenize(text).join(' ')
}

/** For each ASCII character its lower case; 0: it separates tokens. */
const IN_TOKEN = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0
})
const SPACE = 0x20
/** Large enough for most texts. */
const SCRATCH = Buffer.alloc(16_384)

/** Like `tokenText`, but without a string for each token, which took most of the time. null: the text is not all ASCII. */
function asciiTokenText(text: string): string | null {
  const { length } = text
  if (Buffer.byteLength(text) !== length) return null
  const octets = length <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(length)
  octets.write(text, 'latin1')
  // In place: the output never overtakes the input.
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

/** Lower case without compatibility forms and accents: texts that look the same to a reader become equal. */
export function fold(text: string): string {
  // Upper case first: it makes two letters of the sharp s and one of both small sigmas, which is nearly full case folding.
  return text
    .normalize('NFKD')
    .replace(IGNORED, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('\u03c2', '\u03c3')
    .normalize('NFKC')
}

/**
 * Splits a run of letters, digits and marks into tokens: the run itself, or its pieces if scripts with and without spaces mix. A piece
 * without spaces becomes overlapping pairs of characters, and its last character.
 * @param add is called with each token and its place in the run
 */
export function splitRun(run: string, add: (token: string, start: number, end: number) => void): void {
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

/** Tokens that must stand one after the other. With `prefix`, the last one is the start of a word. */
export interface Phrase {
  readonly tokens: readonly string[]
  readonly prefix: boolean
}

const PARTS = /(["'])((?:\\.|(?!\1).)*)\1|(\S+)/gsu

/**
 * Parses what a user typed: words, which are all required; phrases in double or single quotes (RFC 8621 4.4.1); and `word*` for
 * prefixes of two characters or more. Text without words gives an empty list, which matches nothing.
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
      prefix: ending === 'prefix' || (quoted === undefined && isPrefix(source, tokens.at(-1)!)),
    })
  }
  return phrases
}

/** Fewest characters of a prefix: an index scans all words with the prefix, including those of other accounts. */
const PREFIX_MIN_CHARS = 2

function isPrefix(source: string, last: string): boolean {
  return fold(source).endsWith('*') && last.length >= PREFIX_MIN_CHARS
}

/**
 * What the last token is. `repeated`: the last character of a run without spaces, which the pair before it contains; without it, the
 * phrase also matches inside longer runs. `prefix`: a single character, which is also found at the start of pairs.
 */
function endingOf(tokens: readonly string[]): 'repeated' | 'prefix' | 'word' {
  const last = tokens.at(-1)!
  if (!isSingle(last)) return 'word'
  const [first, second, ...more] = tokens.at(-2) ?? ''
  return first !== undefined && UNSPACED.test(first) && second === last && more.length === 0 ? 'repeated' : 'prefix'
}

function isSingle(token: string): boolean {
  return UNSPACED.test(token) && [...token].length === 1
}
