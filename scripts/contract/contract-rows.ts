/** spec/contract.tsv: one row for each line of the contract that asks for something, or for lines that belong together. */
import { type NamedTest, namedTests } from '../rfc-refs/index-rows.ts'

export interface ContractRow {
  /** Lines of the contract's text, from 1. */
  readonly lines: readonly number[]
  /** None for what is built later. */
  readonly tests: readonly NamedTest[]
  /** `path:line` of the row. */
  readonly place: string
}

/** Rows that are well formed, and in words what is wrong with the others. Empty lines and those that begin with `#` are none. */
export function readContractRows(path: string, text: string): { rows: ContractRow[]; faults: string[] } {
  const rows: ContractRow[] = []
  const faults: string[] = []
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return
    const place = `${path}:${i + 1}`
    const row = readRow(place, line)
    if (typeof row === 'string') faults.push(`${place}: ${row}`)
    else rows.push(row)
  })
  return { rows, faults }
}

function readRow(place: string, line: string): ContractRow | string {
  const columns = line.split('\t')
  if (columns.length !== 3) return `${columns.length} columns instead of 3`
  const [given, summary, test] = columns as [string, string, string]
  const lines = linesOf(given)
  if (!lines) return `'${given}' is no line, nor lines`
  if (summary.trim() === '') return 'no summary'
  if (/^later: \S/.test(test)) return { lines, tests: [], place }
  const tests = namedTests(test)
  return tests ? { lines, tests, place } : `'${test}' is neither 'spec/file.test.ts > title' nor 'later: what'`
}

/** `28` or `28-31`. */
function linesOf(text: string): number[] | null {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text)
  if (!match) return null
  const first = Number(match[1])
  const last = Number(match[2] ?? first)
  return last < first ? null : Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
