/** spec/rfc-index.tsv: one row for each sentence of an RFC that demands something. */

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
const PEOPLE = ['server', 'client']

/** Rows that are well formed, and in words what is wrong with the others. Empty lines and those that begin with `#` are none. */
export function readRows(path: string, text: string): { rows: IndexRow[]; faults: string[] } {
  const rows: IndexRow[] = []
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

function readRow(place: string, line: string): IndexRow | string {
  const columns = line.split('\t')
  if (columns.length !== 6) return `${columns.length} columns instead of 6`
  const [rfc, clause, level, who, demand, test] = columns as [string, string, string, string, string, string]
  if (!/^\d+$/.test(rfc)) return `'${rfc}' is no number of an RFC`
  if (!/^\d+(\.\d+)*$/.test(clause)) return `'${clause}' is no clause`
  if (!LEVELS.includes(level)) return `unknown level '${level}'`
  if (!PEOPLE.includes(who)) return `unknown who '${who}'`
  if (demand.trim() === '') return 'no demand'
  if (who === 'client')
    return test === '-' ? { rfc, clause, level, who, demand, tests: [], place } : 'a client row has the test -'
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
