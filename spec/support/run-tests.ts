/**
 * Runs test files and ends with a line of what came of them, in assertions: `N passed, N failed, N skipped`. It exits 0 only when every
 * file was run to its end, made at least one assertion, and none failed.
 *
 * `node spec/support/run-tests.ts [--timeout SECONDS] [FILE...]`: every test file, or those named. `--timeout` is what one file may
 * take (120; 0: any time).
 */
import { availableParallelism } from 'node:os'
import { isAbsolute, relative } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startEngines } from './runner/engines.ts'
import type { FileResult } from './runner/group-process.ts'
import { runGroup } from './runner/group-process.ts'
import { printFailure, printFile, printTotals } from './runner/report.ts'
import { allTestFiles, groupFiles, PROJECT } from './runner/test-files.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { timeout: { type: 'string', default: '120' } },
})
const fromProject = (file: string) => relative(PROJECT, isAbsolute(file) ? file : `${process.cwd()}/${file}`)
const files = positionals.length > 0 ? [...new Set(positionals.map(fromProject))] : allTestFiles()
const groups = groupFiles(files)
const engines = await startEngines()
const results: FileResult[] = []

async function takeGroups(): Promise<void> {
  for (let group = groups.shift(); group; group = groups.shift()) {
    const options = { environment: engines.environment, timeout: Number(values.timeout), onFailure: printFailure }
    for (const result of await runGroup(group, options)) {
      results.push(result)
      printFile(result)
    }
  }
}

try {
  // One process more than there are cores: tests also wait, for processes that they start and for their ends.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, takeGroups))
} finally {
  await engines.stop()
}
// Every file that was asked for has a result, or the run has failed.
const isGood = printTotals(files, results)
process.exit(isGood ? 0 : 1)
