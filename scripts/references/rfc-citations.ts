/** Cited clauses: `RFC 8620 5.3`, `RFC 8620 2, 3.1, 6`, `RFC 8621 4.1.2 and 4.1.3`, `RFC 8620 1.2 to 1.4`. */

export interface RfcCitation {
  readonly rfc: string
  readonly clause: string
  /** From 1. */
  readonly line: number
}

// A list may continue in the next line of a comment.
const GAP = String.raw`(?:[ \t]|\n[ \t]*(?:\*(?!/)|//)?)+`
const CLAUSE = String.raw`\d+(?:\.\d+)*(?![\w-])`
const CITED = new RegExp(
  `RFC${GAP}(8620|8621|8887)(,?${GAP}(?:sections?${GAP})?${CLAUSE}(?:(?:,${GAP}(?:and${GAP})?|${GAP}(?:and|or|to)${GAP})${CLAUSE})*)`,
  'g',
)
const ITEM = /(\bto\b\D*)?(\d+(?:\.\d+)*)/g

export function rfcCitations(source: string): RfcCitation[] {
  const found: RfcCitation[] = []
  for (const match of source.matchAll(CITED)) {
    const line = source.slice(0, match.index).split('\n').length
    let last = ''
    for (const [, upTo, clause] of match[2]!.matchAll(ITEM)) {
      const clauses = upTo ? range(last, clause!) : [clause!]
      for (const one of clauses) found.push({ rfc: match[1]!, clause: one, line })
      last = clause!
    }
  }
  return found
}

/** After `from`, up to and including `to`, if they differ in the last number only. */
function range(from: string, to: string): string[] {
  const parent = to.slice(0, to.lastIndexOf('.') + 1)
  const [first, last] = [Number(from.slice(parent.length)), Number(to.slice(parent.length))]
  if (!from.startsWith(parent) || !(first < last)) return [to]
  return Array.from({ length: last - first }, (_, i) => `${parent}${first + 1 + i}`)
}
