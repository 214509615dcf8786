/** Tokens of RFC 5228 8.1. Reads any text in time linear in its length. */
import { SieveSyntaxError } from './syntax.ts'

export type Token =
  | { readonly kind: 'identifier' | 'tag' | 'string'; readonly value: string; readonly line: number }
  | { readonly kind: 'number'; readonly value: number; readonly line: number }
  | { readonly kind: '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | 'end'; readonly line: number }

const BLANKS = /[ \t\r\n]+/y
const LINE_COMMENT = /#[^\n]*/y
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /([0-9]+)([KMGkmg]?)/y
/** RFC 5228 8.1: `text:` begins a multi-line literal only if the rest of its line is blank or a comment. */
const MULTI_LINE = /text:[ \t]*(?:#[^\n]*)?\r?\n/iy
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

export class Lexer {
  readonly #text: string
  #position = 0
  #line = 1

  constructor(text: string) {
    this.#text = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
    const nul = this.#text.indexOf('\0')
    // RFC 5228 8.1: a script contains no NUL.
    if (nul >= 0) throw new SieveSyntaxError(1 + newlines(this.#text, 0, nul), 'A script cannot have a NUL character.')
  }

  /** @throws SieveSyntaxError */
  next(): Token {
    this.#skip()
    const line = this.#line
    const char = this.#text[this.#position]
    switch (char) {
      case undefined:
        return { kind: 'end', line }
      case '(':
      case ')':
      case '[':
      case ']':
      case '{':
      case '}':
      case ',':
      case ';':
        this.#position++
        return { kind: char, line }
      case '"':
        return { kind: 'string', value: this.#quoted(), line }
      case ':':
        return { kind: 'tag', value: this.#tagName(), line }
      default:
        return this.#word(char, line)
    }
  }

  #skip(): void {
    for (;;) {
      const comment = this.#text.startsWith('/*', this.#position)
      if (comment) this.#blockComment()
      else if (!this.#take(BLANKS) && !this.#take(LINE_COMMENT)) return
    }
  }

  #blockComment(): void {
    const end = this.#text.indexOf('*/', this.#position + 2)
    if (end < 0) throw new SieveSyntaxError(this.#line, 'A comment that begins here does not end.')
    this.#advance(end + 2)
  }

  #word(char: string, line: number): Token {
    const multiLine = (char === 't' || char === 'T') && this.#take(MULTI_LINE)
    if (multiLine) return { kind: 'string', value: this.#multiLine(line), line }
    const identifier = this.#take(IDENTIFIER)
    if (identifier) return { kind: 'identifier', value: identifier[0].toLowerCase(), line }
    const number = this.#take(NUMBER)
    if (!number) throw new SieveSyntaxError(line, `There cannot be ${JSON.stringify(char)} here.`)
    const value = Number(number[1]) * UNITS[number[2]!.toLowerCase()]!
    if (!Number.isSafeInteger(value)) throw new SieveSyntaxError(line, 'This number is too large.')
    return { kind: 'number', value, line }
  }

  #tagName(): string {
    this.#position++
    const name = this.#take(IDENTIFIER)
    if (!name) throw new SieveSyntaxError(this.#line, 'A colon must be followed by the name of a tag.')
    return name[0].toLowerCase()
  }

  /** RFC 5228 2.4.2: a backslash makes the next character literal. */
  #quoted(): string {
    const start = this.#position + 1
    let end = start
    for (;;) {
      const code = this.#text.charCodeAt(end)
      if (Number.isNaN(code)) throw new SieveSyntaxError(this.#line, 'A string that begins here does not end.')
      if (code === 0x22) break
      end += code === 0x5c ? 2 : 1
    }
    const raw = this.#text.slice(start, end)
    this.#advance(end + 1)
    // RFC 5228 8.1: lines of a script end with CRLF; other line ends are converted.
    const lines = raw.includes('\n') ? raw.replace(/\r?\n/g, '\r\n') : raw
    return lines.includes('\\') ? lines.replace(/\\([\s\S])/g, '$1') : lines
  }

  /**
   * RFC 5228 2.4.2: the literal ends with a line that holds one dot; a doubled dot at the start of a line loses one. Lines end with
   * CRLF.
   */
  #multiLine(line: number): string {
    const lines: string[] = []
    for (;;) {
      const end = this.#text.indexOf('\n', this.#position)
      const atEnd = end < 0
      const whole = this.#text.slice(this.#position, atEnd ? undefined : end).replace(/\r$/, '')
      if (whole === '.') {
        this.#position = atEnd ? this.#text.length : end + 1
        if (!atEnd) this.#line++
        return lines.length > 0 ? `${lines.join('\r\n')}\r\n` : ''
      }
      if (atEnd) throw new SieveSyntaxError(line, 'A text that begins here does not end with a line that is a dot.')
      lines.push(whole.startsWith('..') ? whole.slice(1) : whole)
      this.#position = end + 1
      this.#line++
    }
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position
    const match = pattern.exec(this.#text)
    if (match) this.#advance(pattern.lastIndex)
    return match
  }

  #advance(to: number): void {
    this.#line += newlines(this.#text, this.#position, to)
    this.#position = to
  }
}

function newlines(text: string, from: number, to: number): number {
  let count = 0
  for (let index = from; index < to; index++) if (text.charCodeAt(index) === 0x0a) count++
  return count
}
