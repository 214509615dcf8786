/**
 * Citations of the repository's numbers: `decision D9`, `decisions D14, D25 to D27`, `promise S4`, `pitfall 12`. A number without its
 * word is a fault: decision D1 and promise D1 are different things.
 */
import { lineAt, type Prose, proseOf } from './prose.ts'

/** Headings that citations refer to. They begin with the number. */
const HEADINGS: readonly { readonly kind: string; readonly file: RegExp; readonly heading: RegExp }[] = [
  { kind: 'decision', file: /^spec\/decisions\/api-[\w-]+\.md$/, heading: /^## ([DE]\d{1,2}) /gm },
  { kind: 'promise', file: /^spec\/promises\/[\w-]+\.md$/, heading: /^## ([A-Z]\d{1,2}) /gm },
  { kind: 'pitfall', file: /^spec\/decisions\/jmap-pitfalls\.md$/, heading: /^### Pitfall (\d{1,2}) /gm },
]

const CODE = String.raw`[DEQSAJWPCTNL]\d{1,2}(?!\w)`
// A list may continue in the next line of a comment.
const GAP = String.raw`(?:[ \t]|\n[ \t]*(?:\*(?!/)|//|#)?)+`
const cited = (item: string) => `${item}(?:(?:,${GAP}(?:and${GAP})?|${GAP}(?:and|or|to)${GAP})${item})*`
const CITATION = new RegExp(
  String.raw`\b(?:(decision|promise)s?${GAP}(${cited(CODE)})|(pitfall)s?${GAP}(${cited(String.raw`\d{1,2}(?![\w.])`)}))`,
  'gi',
)
const BARE = new RegExp(String.raw`(?<![\w=%.$/'"-])${CODE}(?!['"])`, 'g')

/** Text that looks like one of our numbers: the storage service. */
const NOT_OURS = ['S3']

export interface Citation {
  /** `decision D9`. */
  readonly name: string
  /** In the text, from 0. */
  readonly at: number
}

/** Citations of a text, and numbers in it without their word. */
export function numberedCitations(text: string): { readonly citations: Citation[]; readonly bare: Citation[] } {
  const citations: Citation[] = []
  const rest = text.replaceAll(CITATION, (whole, word: string | undefined, codes, pitfall, numbers, at: number) => {
    const kind = (word ?? pitfall).toLowerCase()
    for (const number of numbersOf(codes ?? numbers)) citations.push({ name: `${kind} ${number}`, at })
    return whole.replaceAll(/[^\n]/g, ' ')
  })
  const bare = [...rest.matchAll(BARE)].map((match) => ({ name: match[0], at: match.index }))
  return { citations, bare: bare.filter(({ name }) => !NOT_OURS.includes(name)) }
}

/** Numbers of a list, with those between the ends of a range. */
function numbersOf(list: string): string[] {
  const numbers: string[] = []
  for (const [, to, letter, number] of list.matchAll(/(\bto\b\D*?)?([A-Z]?)(\d+)/g)) {
    const before = to === undefined ? Number(number) : Number(/\d+/.exec(numbers.at(-1)!)![0]) + 1
    for (let n = Math.min(before, Number(number)); n <= Number(number); n++) numbers.push(`${letter}${n}`)
  }
  return numbers
}

/** @param files the project's own, by path */
export function numberFaults(files: ReadonlyMap<string, string>): string[] {
  const { known, faults } = headingsOf(files)
  for (const [path, text] of files)
    for (const prose of proseOf(path, text)) faults.push(...faultsIn(path, withoutDefinitions(path, prose), known))
  return faults
}

function headingsOf(files: ReadonlyMap<string, string>): { known: Set<string>; faults: string[] } {
  const known = new Set<string>()
  const faults: string[] = []
  for (const [path, text] of files)
    for (const { kind, heading } of HEADINGS.filter(({ file }) => file.test(path)))
      for (const match of text.matchAll(heading)) {
        const name = `${kind} ${match[1]}`
        if (known.has(name)) faults.push(`${path}:${lineAt(text, match.index)}: ${name} has another heading already`)
        known.add(name)
      }
  return { known, faults }
}

/** Headings themselves are not citations. The first column of the proofs cites promises. */
function withoutDefinitions(path: string, prose: Prose): Prose {
  let { text } = prose
  for (const { file, heading } of HEADINGS) if (file.test(path)) text = text.replaceAll(heading, '')
  if (path === 'spec/promises/proofs.tsv') text = text.replaceAll(/^[A-Z]\d{1,2}(?=\t)/gm, 'promise $&')
  return { ...prose, text }
}

function faultsIn(path: string, { text, line }: Prose, known: ReadonlySet<string>): string[] {
  const { citations, bare } = numberedCitations(text)
  const place = (at: number) => `${path}:${line - 1 + lineAt(text, at)}`
  return [
    ...citations.filter(({ name }) => !known.has(name)).map(({ name, at }) => `${place(at)}: ${name} has no heading`),
    ...bare.map(({ name, at }) => `${place(at)}: ${name} stands alone: write 'decision ${name}' or 'promise ${name}'`),
  ]
}
