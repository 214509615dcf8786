/** One process of test files, and the results for each file in its TAP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type FinalResults, Parser, type Result } from 'tap-parser'
import { type Give, isAsk, TIMEOUT } from './messages.ts'
import { type Group, PROJECT } from './test-files.ts'

export interface FileResult {
  readonly file: string
  /** Assertions. */
  passed: number
  failed: number
  skipped: number
  milliseconds: number
  cpuMilliseconds: number
  /** Why the file counts as failed although none of its assertions did. */
  readonly faults: string[]
}

export interface GroupOptions {
  readonly environment: { readonly [name: string]: string }
  /** Seconds for one file; 0: any. */
  readonly timeout: number
  /** Called with each failed assertion as soon as it is read. */
  readonly onFailure: (file: string, failure: Result) => void
  /** Called with the result of each file when it is known. */
  readonly onResult: (result: FileResult) => void
}

/** Of Node. Tests make much and keep little: with room for it, less of it is copied by the collector of garbage. MiB. */
const NODE_OPTIONS = ['--max-semi-space-size=64']
/** Seconds beyond a file's timeout after which its process is killed: the file blocks the event loop. */
const KILL_AFTER = 20

/** Without the settings of a server, which the servers that tests start would take. The contract's text is for one test alone. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { POSTHOUSE_CONTRACT: contract, ...all } = process.env
  const own = Object.entries(all).filter(([name]) => !name.startsWith('POSTHOUSE_'))
  return { ...Object.fromEntries(own), ...(contract !== undefined && { SPEC_CONTRACT: contract }) }
}

/**
 * Runs files in one process, until there are no more or the process ends. Every file that it began has a result.
 * @returns the file that the process took and did not begin, because the file before ended the process
 */
export async function runGroup(group: Group, options: GroupOptions): Promise<string | undefined> {
  const { environment, timeout } = options
  const child = spawn(process.execPath, [...NODE_OPTIONS, join(import.meta.dirname, 'run-group.ts')], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // Each file has a timeout of its own instead of one for the whole process. Not arguments: tap names the folders of tests by them.
    env: { ...ownEnvironment(), ...environment, TAP_TIMEOUT: '0', [TIMEOUT]: String(timeout) },
  })
  const results = new GroupResults(group.first, options)
  let cpuBefore = 0
  let isFirst = true
  child.on('message', (message) => {
    // tap sends messages of its own.
    if (!isAsk(message)) return
    results.newest.cpuMilliseconds = message.cpuMilliseconds - cpuBefore
    cpuBefore = message.cpuMilliseconds
    const file = isFirst ? group.first : group.next()
    if (!isFirst && file !== undefined) results.add(file)
    isFirst = false
    const give: Give = { file: file ?? null }
    // A process that has ended needs no answer.
    child.send(give, () => {})
  })
  let lastSign = Date.now()
  const watch = setInterval(() => {
    if (timeout > 0 && Date.now() - lastSign > (timeout + KILL_AFTER) * 1000) child.kill('SIGKILL')
  }, 1000)
  child.stdout!.on('data', () => {
    lastSign = Date.now()
  })
  child.stdout!.pipe(results.parser as unknown as NodeJS.WritableStream)
  const [[code, signal]] = await Promise.all([once(child, 'close'), once(results.parser, 'complete')])
  clearInterval(watch)
  return results.end(code, signal)
}

/** The results of the files of one process. Files run one after another. */
class GroupResults {
  readonly parser = new Parser()
  readonly #options: GroupOptions
  readonly #all: FileResult[]
  readonly #begun = new Set<FileResult>()
  readonly #ended = new Set<FileResult>()
  readonly #faults: string[] = []
  #current: FileResult | undefined

  constructor(first: string, options: GroupOptions) {
    this.#options = options
    this.#all = [newResult(first)]
    this.parser.on('child', (subtest: Parser) => this.#begin(subtest))
    // Assertions without a subtest, wherever they are.
    this.parser.on('result', (assertion: Result) => this.#count(assertion))
  }

  /** The file that was given out last. */
  get newest(): FileResult {
    return this.#all.at(-1)!
  }

  add(file: string): void {
    this.#all.push(newResult(file))
  }

  /** @returns see runGroup */
  end(code: number | null, signal: string | null): string | undefined {
    const unbegun = this.#all.filter((result) => !this.#begun.has(result))
    if (this.#begun.size === 0) for (const result of unbegun) result.faults.push('was not reached')
    const last = this.#current ?? this.newest
    if (this.#current) this.#judge(this.#current)
    const isExplained = this.#all.some(({ failed, faults }) => failed > 0 || faults.length > 0)
    if (code !== 0 && !isExplained) this.#faults.push(`the process ended with ${signal ?? `code ${code}`}`)
    if (code === 0 && this.parser.results?.ok === false && !isExplained)
      this.#faults.push('the TAP of the process is not whole')
    const files = this.#all.map(({ file }) => file).join(', ')
    for (const fault of this.#faults) last.faults.push(`${fault}; files of the process: ${files}`)
    this.#options.onResult(last)
    return this.#begun.size === 0 ? undefined : unbegun[0]?.file
  }

  #begin(subtest: Parser): void {
    const result = this.#all.find(({ file }) => file === subtest.name)
    if (!result) return
    if (this.#current) {
      this.#judge(this.#current)
      this.#options.onResult(this.#current)
    }
    this.#current = result
    this.#begun.add(result)
    findEmptyTests(subtest, result.faults)
    const from = Date.now()
    subtest.on('complete', () => {
      this.#ended.add(result)
      result.milliseconds = Date.now() - from
    })
  }

  #judge(result: FileResult): void {
    if (!this.#ended.has(result)) result.faults.push('did not end')
    else if (result.passed + result.failed === 0) result.faults.push('made no assertion')
  }

  #count(assertion: Result): void {
    const { fullname, ok, skip, todo } = assertion
    const result = this.#current
    if (!result) return void this.#faults.push(`an assertion outside of any file: ${fullname}`)
    // The line that closes a file's subtest is not an assertion; it fails alone if the file throws.
    if (ok && fullname === result.file) return
    if (skip || todo) result.skipped++
    else if (ok) result.passed++
    else {
      result.failed++
      this.#options.onFailure(result.file, assertion)
    }
  }
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
  return { file, passed: 0, failed: 0, skipped: 0, milliseconds: 0, cpuMilliseconds: 0, faults: [] }
}
