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
import { allTestFiles, FileQueue, PROJECT } from './runner/test-files.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { timeout: { type: 'string', default: '120' } },
})
/** Files for which a process is worth its start. */
const FILES_MIN = 4

const fromProject = (file: string) => relative(PROJECT, isAbsolute(file) ? file : `${process.cwd()}/${file}`)
const files = positionals.length > 0 ? [...new Set(positionals.map(fromProject))] : allTestFiles()
const queue = new FileQueue(files)
const engines = await startEngines()
const results: FileResult[] = []

const options = {
  environment: engines.environment,
  timeout: Number(values.timeout),
  onFailure: printFailure,
  onResult(result: FileResult) {
    results.push(result)
    printFile(result)
  },
}

// What is in memory would stay there.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void engines.stop().finally(() => process.exit(1)))

async function runGroups(): Promise<void> {
  for (let group = queue.take(); group; group = queue.take()) {
    const left = await runGroup(group, options)
    if (left !== undefined) queue.giveBack(left)
  }
}

try {
  // One more process than there are cores: tests also wait for processes that they start.
  const processes = Math.min(availableParallelism() + 1, Math.ceil(files.length / FILES_MIN))
  await Promise.all(Array.from({ length: processes }, runGroups))
} finally {
  await engines.stop()
}
// Every requested file has a result, or the run has failed.
const isGood = printTotals(files, results)
process.exit(isGood ? 0 : 1)
