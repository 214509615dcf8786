/** RFC 2047: reads encoded-words, by the placement rules that RFC 8621 4.1.2.2 requires. */
import { Buffer } from 'node:buffer'
import { decodeCharset, isKnownCharset, isUtf8Charset, windows1252Octets } from './charset.ts'

interface EncodedWord {
  readonly charset: string
  readonly encoding: 'B' | 'Q'
  readonly text: string
  /** Index after the closing `?=`. */
  readonly end: number
}

/**
 * Decodes the encoded-words of unfolded text and converts the result to NFC. Linear in the text. `anywhere` is for places where RFC
 * 2047 5 (3) forbids encoded-words (quoted strings, parameters) but mailers write them: there white space is not required.
 */
export function decodeEncodedWords(value: string, anywhere = false): string {
  let at = value.indexOf('=?')
  if (at < 0) return toNfc(value)
  let out = ''
  let copied = 0
  while (at >= 0) {
    const word = anywhere || isBoundary(value, at - 1) ? encodedWordAt(value, at) : null
    if (!word || !(anywhere || isBoundary(value, word.end)) || !isKnownCharset(word.charset)) {
      at = value.indexOf('=?', at + 2)
      continue
    }
    out += value.slice(copied, at)
    const run = decodeRun(value, word, anywhere)
    out += run.text
    copied = run.end
    at = value.indexOf('=?', copied)
  }
  return toNfc(out + value.slice(copied))
}

/** Decodes adjacent encoded-words. Octets of neighbours in one charset are joined first, because some mailers split characters. */
function decodeRun(value: string, first: EncodedWord, anywhere: boolean): { text: string; end: number } {
  let text = ''
  let charset = first.charset
  let chunks = [wordBytes(first)]
  let end = first.end
  for (;;) {
    const next = skipWhiteSpace(value, end)
    // RFC 2047 2: white space separates encoded-words; 6.2: it is not shown between two of them.
    const word = anywhere || next > end ? encodedWordAt(value, next) : null
    if (!word || !(anywhere || isBoundary(value, word.end)) || !isKnownCharset(word.charset)) break
    if (word.charset !== charset) {
      text += decodeChunks(chunks, charset)
      charset = word.charset
      chunks = []
    }
    chunks.push(wordBytes(word))
    end = word.end
  }
  return { text: text + decodeChunks(chunks, charset), end }
}

/**
 * RFC 2047 2: `=?charset[*language]?B|Q?encoded-text?=` at `start`, without white space inside. Some mailers leave octets beyond ASCII in
 * encoded-text as they are (RFC 2047 4.2 forbids it); in Q they mean themselves.
 */
export function encodedWordAt(value: string, start: number): EncodedWord | null {
  if (value.charCodeAt(start) !== 0x3d || value.charCodeAt(start + 1) !== 0x3f) return null
  let index = start + 2
  while (isToken(value.charCodeAt(index))) index++
  if (index === start + 2 || value.charCodeAt(index) !== 0x3f) return null
  const letter = value.charCodeAt(index + 1) | 0x20
  if ((letter !== 0x62 && letter !== 0x71) || value.charCodeAt(index + 2) !== 0x3f) return null
  const textStart = index + 3
  let textEnd = textStart
  let isRaw = false
  for (let code = value.charCodeAt(textEnd); code > 0x20 && code !== 0x7f && code !== 0x3f; ) {
    if (code > 0x7f) isRaw = true
    code = value.charCodeAt(++textEnd)
  }
  if (isRaw && letter === 0x62) return null
  if (value.charCodeAt(textEnd) !== 0x3f || value.charCodeAt(textEnd + 1) !== 0x3d) return null
  const name = value.slice(start + 2, index)
  // RFC 2231 5: a language may follow the charset.
  const star = name.indexOf('*')
  const charset = (star < 0 ? name : name.slice(0, star)).toLowerCase()
  const text = value.slice(textStart, textEnd)
  const encoded = isRaw ? withoutRaw(text, charset) : { text, charset }
  return { ...encoded, encoding: letter === 0x62 ? 'B' : 'Q', end: textEnd + 2 }
}

/**
 * Q text whose characters beyond ASCII are written as octets of the word's charset. The field was read as UTF-8, or else as windows-1252
 * (fieldText); what windows-1252 does not have was UTF-8, whatever charset the word names.
 */
function withoutRaw(text: string, charset: string): { text: string; charset: string } {
  const octets = isUtf8Charset(charset) ? null : windows1252Octets(text)
  const escaped = (octet: number) => `=${octet.toString(16).padStart(2, '0')}`
  const written = (octet: number) => (octet < 0x80 ? String.fromCharCode(octet) : escaped(octet))
  if (octets) return { charset, text: Array.from(octets, written).join('') }
  const utf8 = text.replace(/[^\0-\x7f]+/g, (raw) => Array.from(Buffer.from(raw), escaped).join(''))
  return { charset: 'utf-8', text: utf8 }
}

function wordBytes(word: EncodedWord): Buffer {
  if (word.encoding === 'B') return Buffer.from(word.text, 'base64')
  const text = word.text
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const high = code === 0x3d ? hexDigit(text.charCodeAt(index + 1)) : -1
    const low = high < 0 ? -1 : hexDigit(text.charCodeAt(index + 2))
    if (low >= 0) {
      bytes[length++] = high * 16 + low
      index += 2
    } else {
      // RFC 2047 4.2 (2): underscore is 0x20 in every charset.
      bytes[length++] = code === 0x5f ? 0x20 : code
    }
  }
  return bytes.subarray(0, length)
}

function decodeChunks(chunks: Buffer[], charset: string): string {
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  // RFC 8621 4.1.2.2 step 4: encoded NUL and control characters are dropped.
  return decodeCharset(bytes, charset).text.replace(/[\0-\x1f\x7f-\x9f]/g, '')
}

/** The value of a hexadecimal digit, or -1. */
export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** RFC 8621 4.1.2.2 step 5. */
export function toNfc(value: string): string {
  return /[^\0-\x7f]/.test(value) ? value.normalize('NFC') : value
}

// RFC 2047 5: white space or an end of the text (or of a comment) is on both sides of an encoded-word.
function isBoundary(value: string, index: number): boolean {
  if (index < 0 || index >= value.length) return true
  const code = value.charCodeAt(index)
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

function skipWhiteSpace(value: string, from: number): number {
  let index = from
  while (index < value.length && isBoundary(value, index)) index++
  return index
}

// RFC 2047 2: token without especials.
function isToken(code: number): boolean {
  if (!(code > 0x20 && code < 0x7f)) return false
  return !(
    code === 0x22 ||
    code === 0x28 ||
    code === 0x29 ||
    code === 0x2c ||
    code === 0x2e ||
    code === 0x2f ||
    (code >= 0x3a && code <= 0x40) ||
    (code >= 0x5b && code <= 0x5d)
  )
}
