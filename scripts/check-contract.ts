/**
 * Checks spec/contract.tsv: every row is well formed and names tests that are there; and, where POSTHOUSE_CONTRACT is the path of the
 * contract's text, that every row of its tables and every rule of the sections that are built has a row. One line for each fault,
 * exit code 1 when there is any.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesToCover } from './contract/contract-lines.ts'
import { readContractRows } from './contract/contract-rows.ts'
import { missingTests } from './rfc-refs/missing-tests.ts'

const TABLE = 'spec/contract.tsv'

/** @param contract its text; null where it is not at hand */
export function contractFaults(read: (path: string) => string | null, contract: string | null): string[] {
  const text = read(TABLE)
  if (text === null) return [`${TABLE} is not there`]
  const { rows, faults } = readContractRows(TABLE, text)
  return [...faults, ...missingTests(read, rows), ...(contract === null ? [] : uncovered(rows, contract))]
}

function uncovered(rows: readonly { readonly lines: readonly number[]; readonly place: string }[], contract: string) {
  const wanted = linesToCover(contract)
  const covered = new Map<number, string>()
  const faults: string[] = []
  for (const { lines, place } of rows)
    for (const line of lines) {
      const before = covered.get(line)
      if (before) faults.push(`${place}: line ${line} has a row already: ${before}`)
      if (!wanted.includes(line)) faults.push(`${place}: line ${line} of the contract asks for nothing`)
      covered.set(line, place)
    }
  const missing = wanted.filter((line) => !covered.has(line))
  return [
    ...faults,
    ...missing.map((line) => `line ${line} of the contract has no row: ${contract.split('\n')[line - 1]}`),
  ]
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  const given = process.env['POSTHOUSE_CONTRACT']
  const faults = contractFaults(
    (path) => read(join(root, path)),
    given === undefined ? null : readFileSync(given, 'utf8'),
  )
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
