/** One process of test files, and the results for each file in its TAP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type FinalResults, Parser, type Result } from 'tap-parser'
import { GROUP, PROJECT } from './test-files.ts'

export interface FileResult {
  readonly file: string
  /** Assertions. */
  passed: number
  failed: number
  skipped: number
  milliseconds: number
  /** Why the file counts as failed although none of its assertions did. */
  readonly faults: string[]
}

export interface GroupOptions {
  readonly environment: { readonly [name: string]: string }
  /** Seconds for one file; 0: any. */
  readonly timeout: number
  /** Called with each failed assertion as soon as it is read. */
  readonly onFailure: (file: string, failure: Result) => void
}

/** Seconds beyond a file's timeout after which its process is killed: the file blocks the event loop. */
const KILL_AFTER = 20

/** Without the settings of a server, which the servers that tests start would take. The contract's text is for one test alone. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { POSTHOUSE_CONTRACT: contract, ...all } = process.env
  const own = Object.entries(all).filter(([name]) => !name.startsWith('POSTHOUSE_'))
  return { ...Object.fromEntries(own), ...(contract !== undefined && { SPEC_CONTRACT: contract }) }
}

/** Runs the files in one process. Every file has a result, also when the process ends before it comes to it. */
export async function runGroup(files: readonly string[], options: GroupOptions): Promise<FileResult[]> {
  const { environment, timeout, onFailure } = options
  const results = new Map(files.map((file) => [file, newResult(file)]))
  const started = new Set<string>()
  const ended = new Set<string>()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-group.ts')], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'inherit'],
    // Each file has a timeout of its own instead of one for the whole process. Not arguments: tap names the folders of tests by them.
    env: { ...ownEnvironment(), ...environment, TAP_TIMEOUT: '0', [GROUP]: JSON.stringify({ timeout, files }) },
  })
  let lastSign = Date.now()
  const watch = setInterval(() => {
    if (timeout > 0 && Date.now() - lastSign > (timeout + KILL_AFTER) * 1000) child.kill('SIGKILL')
  }, 1000)

  const parser = new Parser()
  const groupFaults: string[] = []
  let current: FileResult | undefined
  parser.on('child', (subtest: Parser) => {
    const result = results.get(subtest.name)
    if (!result) return
    current = result
    started.add(result.file)
    findEmptyTests(subtest, result.faults)
    const from = Date.now()
    subtest.on('complete', () => {
      ended.add(result.file)
      result.milliseconds = Date.now() - from
    })
  })
  // Assertions without a subtest, wherever they are. Files run one after another.
  parser.on('result', (assertion: Result) => {
    if (!current) return void groupFaults.push(`an assertion outside of any file: ${assertion.fullname}`)
    // The line that closes a file's subtest is not an assertion; it fails alone if the file throws.
    if (assertion.ok && assertion.fullname === current.file) return
    count(current, assertion)
    if (!assertion.ok && !assertion.todo && !assertion.skip) onFailure(current.file, assertion)
  })
  child.stdout.on('data', () => {
    lastSign = Date.now()
  })
  child.stdout.pipe(parser as unknown as NodeJS.WritableStream)
  const [[code, signal]] = await Promise.all([once(child, 'close'), once(parser, 'complete')])
  clearInterval(watch)

  for (const file of files) {
    const result = results.get(file)!
    if (!started.has(file)) result.faults.push('was not reached')
    else if (!ended.has(file)) result.faults.push('did not end')
    else if (result.passed + result.failed === 0) result.faults.push('made no assertion')
  }
  const all = [...results.values()]
  const isExplained = all.some(({ failed, faults }) => failed > 0 || faults.length > 0)
  if (code !== 0 && !isExplained) groupFaults.push(`the process ended with ${signal ?? `code ${code}`}`)
  if (code === 0 && parser.results?.ok === false && !isExplained)
    groupFaults.push('the TAP of the process is not whole')
  const last = current ?? all[0]!
  for (const fault of groupFaults) last.faults.push(`${fault}; files of the process: ${files.join(', ')}`)
  return all
}

/** A test without an assertion cannot fail. */
function findEmptyTests(test: Parser, faults: string[]): void {
  test.on('child', (subtest: Parser) => {
    findEmptyTests(subtest, faults)
    subtest.on('complete', ({ count }: FinalResults) => {
      if (count === 0) faults.push(`has a test without an assertion: ${subtest.fullname}`)
    })
  })
}

function newResult(file: string): FileResult {
  return { file, passed: 0, failed: 0, skipped: 0, milliseconds: 0, faults: [] }
}

function count(result: FileResult, { ok, skip, todo }: Result): void {
  if (skip || todo) result.skipped++
  else if (ok) result.passed++
  else result.failed++
}
