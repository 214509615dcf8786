/** spec/rfc-index.tsv: every row names tests that exist, and every clause of RFC 8620, 8621 and 8887 that the program cites has a row. */
import { type IndexRow, readRows } from './index-rows.ts'
import { missingTests } from './missing-tests.ts'
import { rfcCitations } from './rfc-citations.ts'

export interface Project {
  /** The text of a file, by its path from the top; null: it does not exist. */
  read(path: string): string | null
  /** Paths of the program's own modules. */
  readonly code: readonly string[]
}

/** Faults, one line each. */
export function rfcFaults(project: Project, indexes: readonly string[]): string[] {
  const faults: string[] = []
  const rows: IndexRow[] = []
  for (const path of indexes) {
    const text = project.read(path)
    if (text === null) {
      faults.push(`${path} is not there`)
      continue
    }
    const read = readRows(path, text)
    rows.push(...read.rows)
    faults.push(...read.faults)
  }
  return [...faults, ...duplicateFaults(rows), ...missingTests(project.read, rows), ...citationFaults(project, rows)]
}

function duplicateFaults(rows: readonly IndexRow[]): string[] {
  const seen = new Map<string, IndexRow>()
  return rows.flatMap((row) => {
    const key = [row.rfc, row.clause, row.level, row.who, row.demand].join('\t')
    const first = seen.get(key)
    if (!first) seen.set(key, row)
    return first ? [`${row.place}: the same row as ${first.place}`] : []
  })
}

/** A clause is in the index if it has a row, or one of its subclauses has. */
function citationFaults(project: Project, rows: readonly IndexRow[]): string[] {
  const known = new Set<string>()
  for (const { rfc, clause } of rows)
    for (let one = clause; one !== ''; one = one.slice(0, Math.max(0, one.lastIndexOf('.')))) known.add(`${rfc} ${one}`)
  return project.code.flatMap((path) =>
    rfcCitations(project.read(path) ?? '')
      .filter(({ rfc, clause }) => !known.has(`${rfc} ${clause}`))
      .map(({ rfc, clause, line }) => `${path}:${line}: RFC ${rfc} ${clause} is cited but not in the index`),
  )
}
