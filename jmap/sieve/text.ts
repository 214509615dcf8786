/** Strings of a script, with encoded characters (RFC 5228 2.4.2.4) and variables (RFC 5229 3). */
import { SIEVE_BODY_MAX_CHARS } from '../../server/base/sieve-limits.ts'
import { type Run, SieveRunError } from './run.ts'
import { SieveSyntaxError } from './syntax.ts'

export interface Text {
  readonly line: number
  /** null: known only at run time. */
  readonly constant: string | null
  read(run: Run): string
}

export interface Texts {
  readonly line: number
  readonly constants: readonly string[] | null
  read(run: Run): readonly string[]
}

export interface TextOptions {
  readonly encodedCharacters: boolean
  readonly variables: boolean
}

type Piece = string | ((run: Run) => string)

/** `${hex:24 2a}`, `${unicode:263a}`; other text stays unchanged. */
const ENCODED =
  /\$\{(?:(hex):([ \t\r\n]*[0-9a-f]{1,2}(?:[ \t\r\n]+[0-9a-f]{1,2})*[ \t\r\n]*)|unicode:([ \t\r\n]*[0-9a-f]{1,64}(?:[ \t\r\n]+[0-9a-f]{1,64})*[ \t\r\n]*))\}/gi
/** `${name}`, `${a.name}`, `${1}` */
const VARIABLE = /\$\{([a-z_][a-z0-9_]*(?:\.[a-z0-9_]+)*|[0-9]+)\}/gi

/** @throws SieveSyntaxError */
export function compileText(value: string, line: number, options: TextOptions): Text {
  const pieces = split(value, line, options)
  if (pieces.every((piece) => typeof piece === 'string')) {
    const constant = pieces.join('')
    return { line, constant, read: () => constant }
  }
  return { line, constant: null, read: (run) => expand(run, pieces, line) }
}

export function compileTexts(values: readonly string[], line: number, options: TextOptions): Texts {
  const texts = values.map((value) => compileText(value, line, options))
  const constants = texts.flatMap(({ constant }) => (constant === null ? [] : [constant]))
  if (constants.length === texts.length) return { line, constants, read: () => constants }
  return { line, constants: null, read: (run) => texts.map((text) => text.read(run)) }
}

/** RFC 5229 3: encoded characters are decoded first, and the result may itself be a reference to a variable. */
function split(value: string, line: number, options: TextOptions): Piece[] {
  if (!value.includes('${')) return [value]
  const text = options.encodedCharacters ? decode(value, line) : value
  if (!options.variables) return [text]
  const pieces: Piece[] = []
  let from = 0
  for (const match of text.matchAll(VARIABLE)) {
    pieces.push(text.slice(from, match.index), ofVariable(match[1]!, line))
    from = match.index + match[0].length
  }
  pieces.push(text.slice(from))
  return pieces
}

function decode(value: string, line: number): string {
  return value.replace(ENCODED, (_match, hex: string | undefined, octets: string, points: string) =>
    hex === undefined ? ofPoints(points, line) : ofOctets(octets),
  )
}

function ofOctets(octets: string): string {
  const values = octets.trim().split(/[ \t\r\n]+/)
  return new TextDecoder().decode(Uint8Array.from(values, (value) => Number.parseInt(value, 16)))
}

function ofPoints(points: string, line: number): string {
  const values = points.trim().split(/[ \t\r\n]+/)
  return values
    .map((value) => {
      const point = Number.parseInt(value, 16)
      // RFC 5228 2.4.2.4: surrogates and numbers beyond Unicode are errors.
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        throw new SieveSyntaxError(line, `There is no Unicode character ${value.slice(0, 20)}.`)
      return String.fromCodePoint(point)
    })
    .join('')
}

function ofVariable(name: string, line: number): Piece {
  // RFC 5229 3: a namespace belongs to an extension, and no supported extension has one.
  if (name.includes('.')) throw new SieveSyntaxError(line, `There are no variables named ${name.slice(0, 50)}.`)
  if (/^[0-9]/.test(name)) {
    const index = Number(name)
    return (run) => run.matched[index] ?? ''
  }
  const key = name.toLowerCase()
  return (run) => run.variables.get(key) ?? ''
}

function expand(run: Run, pieces: readonly Piece[], line: number): string {
  let text = ''
  for (const piece of pieces) {
    const more = typeof piece === 'string' ? piece : piece(run)
    run.spend(1 + more.length / 64, line)
    text += more
    if (text.length > SIEVE_BODY_MAX_CHARS) throw new SieveRunError(line, 'a text became too long')
  }
  return text
}
