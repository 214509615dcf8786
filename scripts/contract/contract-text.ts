/** The contract's text as sections with rows of tables and sentences. Pure. */

/** Rows of tables and sentences under one heading. */
export interface Section {
  readonly name: string
  readonly rows: TableRow[]
  readonly sentences: Sentence[]
}

export interface TableRow {
  readonly cells: readonly string[]
  /** Cells of the table's first row. */
  readonly head: readonly string[]
  /** From 1. */
  readonly line: number
}

export interface Sentence {
  readonly text: string
  /** The first sentence of its line. */
  readonly first: string
  readonly line: number
}

/** Describes the service; it demands nothing. */
const OVERVIEW = ['What the service does']
const ENDPOINT = '`(?:GET|POST|PUT|PATCH|DELETE) '

export function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  let current: Section | null = null
  let head: readonly string[] = []
  text.split('\n').forEach((line, i) => {
    const name = /^##+ (.+?)(?: \(.*\))?$/.exec(line)?.[1] ?? (sections.length === 0 ? preambleTitle(line) : null)
    if (name !== null) {
      current = { name, rows: [], sentences: [] }
      sections.push(current)
    }
    if (current === null || line.startsWith('#')) return
    if (!line.startsWith('|')) {
      head = []
      const sentences = sentencesOf(line)
      for (const sentence of sentences) current.sentences.push({ text: sentence, first: sentences[0]!, line: i + 1 })
    } else if (head.length === 0) head = cellsOf(line)
    else if (!/^\|[\s|:-]+\|$/.test(line)) current.rows.push({ cells: cellsOf(line), head, line: i + 1 })
  })
  return sections.filter(({ name }) => !OVERVIEW.includes(name))
}

/** A paragraph before the first heading counts as a section if it begins with a label: `Conventions: ...`. */
function preambleTitle(line: string): string | null {
  return /^([A-Z][a-z]+): /.exec(line)?.[1] ?? null
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/**
 * Sentences without list marks. A line that only introduces the next ones has none. An endpoint after a semicolon starts another
 * sentence.
 */
function sentencesOf(line: string): string[] {
  const text = line.replace(/^(?:[-*]|\d+\.) /, '').trim()
  if (text === '' || text.endsWith(':')) return []
  return text
    .replace(new RegExp(`^[A-Z][a-z ]+: (?=${ENDPOINT})`), '')
    .split(new RegExp(String.raw`\.\s+(?=[A-Z\`])|;\s+(?=${ENDPOINT})`))
}
