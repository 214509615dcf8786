/** spec/rfc-index.tsv: one row for each demand of an RFC. */
import { readTable, type Table } from './tables.ts'

export interface IndexRow {
  readonly rfc: string
  readonly clause: string
  readonly level: string
  readonly who: string
  readonly demand: string
  readonly tests: readonly NamedTest[]
  /** `path:line` of the row. */
  readonly place: string
}

export interface NamedTest {
  readonly file: string
  readonly title: string
}

const LEVELS = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'error']
/** `sharing`: what concerns calendars of others; nothing is shared here. */
const PEOPLE = ['server', 'client', 'sharing']

/** Well-formed rows, and the faults of the others in words. */
export function readRows(path: string, text: string): Table<IndexRow> {
  return readTable(path, text, readRow)
}

function readRow(place: string, columns: readonly string[]): IndexRow | string {
  if (columns.length !== 6) return `${columns.length} columns instead of 6`
  const [rfc, clause, level, who, demand, test] = columns as [string, string, string, string, string, string]
  if (!/^(?:\d+|draft-[a-z-]+)$/.test(rfc)) return `'${rfc}' is no number of an RFC and no name of a draft`
  if (!/^\d+(\.\d+)*$/.test(clause)) return `'${clause}' is no clause`
  if (!LEVELS.includes(level)) return `unknown level '${level}'`
  if (!PEOPLE.includes(who)) return `unknown who '${who}'`
  if (demand.trim() === '') return 'no demand'
  if (who !== 'server')
    return test === '-' ? { rfc, clause, level, who, demand, tests: [], place } : `a ${who} row has the test -`
  if (test.trim() === '' || test === '-') return `no test shows: ${demand}`
  const tests = namedTests(test)
  return tests ? { rfc, clause, level, who, demand, tests, place } : `'${test}' is not 'spec/file.test.ts > title'`
}

/** `file > title ; file > title`; null for anything else. */
export function namedTests(text: string): NamedTest[] | null {
  const tests = text.split(/ ; (?=spec\/)/).map((one) => /^(spec\/\S+\.test\.ts) > (.+)$/.exec(one))
  if (!tests.every((one) => one !== null)) return null
  return tests.map(([, file, title]) => ({ file: file!, title: title! }))
}
