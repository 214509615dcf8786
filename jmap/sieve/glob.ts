/**
 * RFC 5228 2.7.1 :matches. A pattern is split at its stars: the first piece is matched at the start, the last at the end, and each
 * piece between from the end of the one before, so that every star except the last is as short as possible (RFC 5229 3.2).
 */

/** One character; null: any one. */
type Item = string | null

interface Piece {
  readonly items: readonly Item[]
  /** The longest text of a piece without `?`. */
  readonly literal: string | null
}

export interface Glob {
  readonly pieces: readonly Piece[]
}

export function compileGlob(pattern: string): Glob {
  const pieces: Item[][] = [[]]
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern[index]!
    if (char === '*') pieces.push([])
    else if (char === '?') pieces.at(-1)!.push(null)
    // RFC 5228 2.7.1: a backslash makes the next character literal; at the end it is itself literal.
    else if (char === '\\' && index + 1 < pattern.length) pieces.at(-1)!.push(pattern[++index]!)
    else pieces.at(-1)!.push(char)
  }
  return {
    pieces: pieces.map((items) => ({ items, literal: items.includes(null) ? null : items.join('') })),
  }
}

/** Steps that a match may take beyond reading the text once. */
export function globCost({ pieces }: Glob, length: number): number {
  const slow = pieces.slice(1, -1).filter(({ literal }) => literal === null)
  return slow.reduce((sum, { items }) => sum + (items.length * length) / 64, 0)
}

/** The positions of the wildcards in the text, as pairs of start and end, in order; null: no match. */
export function matchGlob({ pieces }: Glob, text: string): [number, number][] | null {
  const found: [number, number][] = []
  const first = pieces[0]!
  let position = matchAt(first, text, 0, found)
  if (position < 0) return null
  if (pieces.length === 1) return position === text.length ? found : null
  for (const piece of pieces.slice(1, -1)) {
    const start = search(piece, text, position)
    if (start < 0) return null
    found.push([position, start])
    position = matchAt(piece, text, start, found)
  }
  const start = startOfTail(pieces.at(-1)!, text)
  if (start < position) return null
  found.push([position, start])
  return matchAt(pieces.at(-1)!, text, start, found) === text.length ? found : null
}

function search(piece: Piece, text: string, from: number): number {
  if (piece.literal !== null) return text.indexOf(piece.literal, from)
  for (let start = from; start <= text.length; start++) {
    if (matchAt(piece, text, start, []) >= 0) return start
  }
  return -1
}

/** The end of the piece at a position, or -1; positions of `?` are added to `found`. */
function matchAt(piece: Piece, text: string, start: number, found: [number, number][]): number {
  if (piece.literal !== null) return text.startsWith(piece.literal, start) ? start + piece.literal.length : -1
  let position = start
  for (const item of piece.items) {
    if (position >= text.length) return -1
    if (item !== null && text[position] !== item) return -1
    const width = item === null && isPair(text, position) ? 2 : 1
    if (item === null) found.push([position, position + width])
    position += width
  }
  return position
}

/** The start of a piece that ends with the text: its items are counted from the end. */
function startOfTail(piece: Piece, text: string): number {
  let position = text.length
  for (let index = piece.items.length - 1; index >= 0; index--) {
    position -= piece.items[index] === null && isPair(text, position - 2) ? 2 : 1
  }
  return position
}

/** RFC 5228 2.7.1: `?` is one character, which may be two UTF-16 units. */
function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length
}
