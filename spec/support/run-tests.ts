/**
 * Runs test files and prints, as the last line, the number of assertions: `N passed, N failed, N skipped`. It exits 0 only if every
 * file ran to its end, made at least one assertion, and none failed.
 *
 * `node spec/support/run-tests.ts [--timeout SECONDS] [FILE...]`: every test file, or the named ones. `--timeout` is the time for one
 * file (120; 0: any time).
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
  // One more process than there are cores: tests also wait for processes that they start.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, takeGroups))
} finally {
  await engines.stop()
}
// Every requested file has a result, or the run has failed.
const isGood = printTotals(files, results)
process.exit(isGood ? 0 : 1)
