/** The printed result of a test run. */
import process from 'node:process'
import { inspect } from 'node:util'
import type { Result } from 'tap-parser'
import type { FileResult } from './group-process.ts'

export function printFailure(file: string, { fullname, diag }: Result): void {
  const words = inspect(diag, { depth: 6, breakLength: 120, maxStringLength: 4_000 })
  print(`not ok ${file}\n  ${fullname}${diag ? `\n  ${words.replaceAll('\n', '\n  ')}` : ''}`)
}

export function printFile({ file, passed, failed, skipped, milliseconds, cpuMilliseconds, faults }: FileResult): void {
  const seconds = (duration: number) => (duration / 1000).toFixed(1)
  const counts = `${passed} passed${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`
  const isGood = failed === 0 && faults.length === 0
  print(
    `${isGood ? 'ok' : 'not ok'} ${file} (${counts}, ${seconds(milliseconds)} s, CPU ${seconds(cpuMilliseconds)} s)`,
  )
  for (const fault of faults) print(`  ${file} ${fault}`)
}

/**
 * Prints the failed files and, as the last line, the totals; a file that failed without a failed assertion counts as one.
 * @returns whether the run is good
 */
export function printTotals(files: readonly string[], results: readonly FileResult[]): boolean {
  const reported = new Map(results.map((result) => [result.file, result]))
  const missing = files.filter((file) => !reported.has(file))
  const bad = results.filter(({ failed, faults }) => failed > 0 || faults.length > 0)
  for (const file of missing) print(`not ok ${file} has no result`)
  for (const { file, skipped } of results) if (skipped > 0) print(`${skipped} skipped in ${file}`)
  for (const { file, failed, faults } of bad) print(`not ok ${file}: ${[`${failed} failed`, ...faults].join('; ')}`)
  const passed = sum(results, (result) => result.passed)
  const failed = missing.length + sum(bad, (result) => Math.max(result.failed, 1))
  const skipped = sum(results, (result) => result.skipped)
  print(`${files.length} files, ${results.length - bad.length} of them good`)
  print(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  return failed === 0 && files.length > 0
}

function sum(results: readonly FileResult[], of: (result: FileResult) => number): number {
  return results.reduce((total, result) => total + of(result), 0)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
