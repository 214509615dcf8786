import { SPAM_DETAIL_MAX_CHARS } from '../../../server/base/spam-limits.ts'
import { SYMBOLS, type SymbolName } from './symbols.ts'
import type { SpamSymbol, SpamVerdict } from './verdict.ts'

/** The symbols found so far; each counts once. */
export class Tally {
  readonly #found: Map<string, SpamSymbol>

  constructor(found: readonly SpamSymbol[] = []) {
    this.#found = new Map(found.map((symbol) => [symbol.name, symbol]))
  }

  /** @param points instead of the usual ones */
  add(name: SymbolName, detail?: string, points?: number): void {
    if (this.#found.has(name)) return
    const { weight, description } = SYMBOLS[name]
    const score = hundredths(points ?? weight)
    const shown = detail === undefined ? undefined : shorten(detail)
    this.#found.set(name, { name, score, description, ...(shown !== undefined && { detail: shown }) })
  }

  has(name: SymbolName): boolean {
    return this.#found.has(name)
  }

  verdict(): SpamVerdict {
    const symbols = [...this.#found.values()].sort((a, b) => Math.abs(b.score) - Math.abs(a.score))
    return { score: hundredths(symbols.reduce((sum, { score }) => sum + score, 0)), symbols, engine: 'posthouse' }
  }
}

function hundredths(points: number): number {
  return Math.round(points * 100) / 100
}

function shorten(text: string): string {
  // Details are shown to users: characters that change or hide the text around them are removed.
  const plain = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return plain.length > SPAM_DETAIL_MAX_CHARS ? `${plain.slice(0, SPAM_DETAIL_MAX_CHARS - 1)}…` : plain
}
