/** spec/contract.tsv: one row for each line of the contract that asks for something, or for lines that belong together. */
import { type NamedTest, namedTests } from '../rfc-refs/index-rows.ts'
import { readTable, type Table } from '../rfc-refs/tables.ts'

export interface ContractRow {
  /** Lines of the contract's text, from 1. */
  readonly lines: readonly number[]
  /** None for what is built later. */
  readonly tests: readonly NamedTest[]
  /** `path:line` of the row. */
  readonly place: string
}

/** Rows that are well formed, and in words what is wrong with the others. */
export function readContractRows(path: string, text: string): Table<ContractRow> {
  return readTable(path, text, readRow)
}

function readRow(place: string, columns: readonly string[]): ContractRow | string {
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
