/** spec/contract.tsv: a row for each demand of the contract, or for demands that belong together. */
import { type NamedTest, namedTests } from '../references/index-rows.ts'
import { readTable, type Table } from '../references/tables.ts'

export interface ContractRow {
  /** As in contractKeys. */
  readonly keys: readonly string[]
  /** Empty for demands that are built later, and for text without a demand. */
  readonly tests: readonly NamedTest[]
  /** `path:line` of the row. */
  readonly place: string
}

/** Well-formed rows, and the faults of the others in words. */
export function readContractRows(path: string, text: string): Table<ContractRow> {
  return readTable(path, text, readRow)
}

function readRow(place: string, columns: readonly string[]): ContractRow | string {
  if (columns.length !== 3) return `${columns.length} columns instead of 3`
  const [given, summary, test] = columns as [string, string, string]
  const keys = keysOf(given)
  if (!keys) return `'${given}' is no key, nor keys of one section`
  if (summary.trim() === '') return 'no summary'
  if (/^(?:later|no demand): \S/.test(test)) return { keys, tests: [], place }
  const tests = namedTests(test)
  return tests
    ? { keys, tests, place }
    : `'${test}' is neither 'spec/file.test.ts > title', 'later: what' nor 'no demand: why'`
}

/** `Section/name, name` and `Section/GET path, ?member, ?member`: the section applies to all, the endpoint to the members after it. */
function keysOf(text: string): string[] | null {
  const match = /^([^/\s][^/]*)\/(.+)$/.exec(text)
  if (!match) return null
  const [, section, names] = match
  const keys: string[] = []
  let endpoint = ''
  for (const name of names!.split(', ')) {
    if (name.trim() === '') return null
    const isMember = /^[?.]/.test(name)
    if (isMember && endpoint === '') return null
    if (!isMember) endpoint = /^[A-Z]+ \S+/.exec(name)?.[0] ?? ''
    keys.push(`${section}/${isMember ? `${endpoint} ${name}` : name}`)
  }
  return keys
}
