/** The tokens of an address list (RFC 5322 3.2 and 3.4), read leniently from an index of the text. */
import { readQuoted, skipComment } from './content-fields.ts'
import { encodedWordAt } from './encoded-words.ts'

/** Index after the atom at `start`: at least one character, and up to a special at most; domain literals and encoded-words are whole. */
export function atomEnd(text: string, start: number): number {
  let index = start
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === 0x3d) {
      const word = encodedWordAt(text, index)
      if (word) {
        index = word.end
        continue
      }
    }
    if (code === 0x5b) {
      const close = literalEnd(text, index)
      if (close > 0) {
        index = close
        continue
      }
    }
    if (isSpace(code) || isSpecial(code)) break
    index++
  }
  return Math.max(index, start + 1)
}

// RFC 5322 3.4.1: a literal contains no bracket, so that the search for its end stays linear.
function literalEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x5d) return index + 1
    if (isSpace(code) || code === 0x5b || code === 0x2c || code === 0x3c || code === 0x3e) return -1
  }
  return -1
}

/** RFC 5322 3.4: angle-addr at `start`, without CFWS and without the route of 4.4. Without a closing bracket it ends before `,` or `;`. */
export function readAngle(text: string, start: number): { value: string; end: number } {
  let value = ''
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === 0x3e) {
      index++
      break
    }
    if (code === 0x3c) break
    if (code === 0x2c || code === 0x3b) {
      if (!value.startsWith('@')) break
    } else if (code === 0x3a && value.startsWith('@')) {
      value = ''
      index++
      continue
    }
    if (code === 0x28) {
      index = skipComment(text, index)
    } else if (code === 0x22) {
      const end = readQuoted(text, index).end
      value += text.slice(index, end)
      index = end
    } else {
      let end = index + 1
      while (end < text.length && isAngleText(text.charCodeAt(end))) end++
      value += isSpace(code) ? text.slice(index + 1, end) : text.slice(index, end)
      index = end
    }
  }
  return { value, end: index }
}

function isAngleText(code: number): boolean {
  return !isSpace(code) && !isSpecial(code)
}

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a
}

function isSpecial(code: number): boolean {
  return (
    code === 0x28 || code === 0x3c || code === 0x3e || code === 0x2c || code === 0x3b || code === 0x3a || code === 0x22
  )
}
