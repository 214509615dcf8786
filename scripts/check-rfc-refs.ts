/**
 * Checks spec/rfc-index.tsv: every row is well formed and names tests that are there, and every clause of RFC 8620, 8621 and 8887 that
 * the program cites has a row. One line for each fault, exit code 1 when there is any.
 *
 *     node scripts/check-rfc-refs.ts [index.tsv ...]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { citations } from './rfc-refs/citations.ts'
import { type IndexRow, readRows } from './rfc-refs/index-rows.ts'
import { missingTests } from './rfc-refs/missing-tests.ts'

const INDEX = 'spec/rfc-index.tsv'
const CODE = ['jmap', 'server', 'rest', 'storage', 'mta']

export interface Project {
  /** The text of a file, by its path from the top; null when it is not there. */
  read(path: string): string | null
  /** Paths of the program's own modules. */
  readonly code: readonly string[]
}

/** What is wrong, one line each. */
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

/** A clause is in the index when it has a row, or one of its own clauses has. */
function citationFaults(project: Project, rows: readonly IndexRow[]): string[] {
  const known = new Set<string>()
  for (const { rfc, clause } of rows)
    for (let one = clause; one !== ''; one = one.slice(0, Math.max(0, one.lastIndexOf('.')))) known.add(`${rfc} ${one}`)
  return project.code.flatMap((path) =>
    citations(project.read(path) ?? '')
      .filter(({ rfc, clause }) => !known.has(`${rfc} ${clause}`))
      .map(({ rfc, clause, line }) => `${path}:${line}: RFC ${rfc} ${clause} is cited but not in the index`),
  )
}

function openProject(root: string): Project {
  const modules = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.[tj]s$/.test(path))
      .map((path) => `${folder}/${path}`)
      .sort()
  return {
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null),
    code: CODE.flatMap(modules),
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const given = process.argv.slice(2)
  const faults = rfcFaults(openProject(root), given.length > 0 ? given : [INDEX])
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) console.error(`${faults.length} faults in the index of RFCs`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
