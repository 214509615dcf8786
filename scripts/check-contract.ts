/**
 * Checks spec/contract.tsv: every row is well formed and names existing tests. If POSTHOUSE_CONTRACT is the path of the contract's
 * text, every row of its tables and every sentence of its rules must also have a row by its key (scripts/contract/contract-keys.ts).
 * The text is not part of the repository. One line for each fault, exit code 1 if there is any.
 *
 *     node scripts/check-contract.ts [--keys]       --keys prints the keys of the text
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractKeys } from './contract/contract-keys.ts'
import { type ContractRow, readContractRows } from './contract/contract-rows.ts'
import { missingTests } from './references/missing-tests.ts'

const TABLE = 'spec/contract.tsv'

/** @param contract its text; null: not available */
export function contractFaults(read: (path: string) => string | null, contract: string | null): string[] {
  const text = read(TABLE)
  if (text === null) return [`${TABLE} is not there`]
  const { rows, faults } = readContractRows(TABLE, text)
  return [
    ...faults,
    ...missingTests(read, rows),
    ...duplicates(rows),
    ...(contract === null ? [] : differences(rows, contract)),
  ]
}

function duplicates(rows: readonly ContractRow[]): string[] {
  const seen = new Map<string, string>()
  return rows.flatMap(({ keys, place }) =>
    keys.flatMap((key) => {
      const before = seen.get(key)
      seen.set(key, before ?? place)
      return before === undefined ? [] : [`${place}: '${key}' has a row already: ${before}`]
    }),
  )
}

/** Keys of the text without a row, and keys of rows that the text does not have. */
function differences(rows: readonly ContractRow[], contract: string): string[] {
  const wanted = contractKeys(contract)
  const known = new Set(wanted.map(({ key }) => key))
  const covered = new Set(rows.flatMap(({ keys }) => keys))
  return [
    ...rows.flatMap(({ keys, place }) =>
      keys.filter((key) => !known.has(key)).map((key) => `${place}: the contract has no '${key}'`),
    ),
    ...wanted
      .filter(({ key }) => !covered.has(key))
      .map(({ key, line }) => `line ${line} of the contract has no row: '${key}'`),
  ]
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  const given = process.env['POSTHOUSE_CONTRACT']
  const contract = given === undefined ? null : readFileSync(given, 'utf8')
  if (process.argv.includes('--keys')) for (const { key } of contractKeys(contract ?? '')) console.log(key)
  else {
    const faults = contractFaults((path) => read(join(root, path)), contract)
    for (const fault of faults) console.error(fault)
    process.exitCode = faults.length > 0 ? 1 : 0
  }
}
