/**
 * Proves that the test runner can fail: it plants test files that must fail a run, each for another reason, and two that must not, and
 * runs them like the suite. Exits 1 if a run has another result than expected. `.ci/run` calls it before the suite.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'

interface Planted {
  readonly what: string
  /** The text of each planted file. */
  readonly files: readonly string[]
  /** Which of the files the last lines must name as bad; null: none, the run must pass. */
  readonly bad: number | null
  /** A missing file, besides the planted ones. */
  readonly missing?: string
  /** Assertions that must pass beside the bad file: the files after it run. */
  readonly passed?: number
}

/** Seconds for one planted file. */
const TIMEOUT = 5

const TAP = "import t from 'tap'\n"
const GOOD = `${TAP}t.test('passes', async (t) => t.equal(1, 1))\n`
const POSTGRES = `import { freshStore } from '../support/engines.ts'
t.test('in PostgreSQL', async (t) => {
  const { store } = await freshStore(t, 'postgres')
  const rows = await store.read(async () => 1)
  t.equal(rows, `

const PLANTED: readonly Planted[] = [
  { what: 'a good file', files: [GOOD], bad: null },
  { what: 'a good file that uses PostgreSQL', files: [`${TAP}${POSTGRES}1)\n})\n`], bad: null },
  { what: 'a failed assertion', files: [`${TAP}t.equal(1, 2)\n`], bad: 0 },
  { what: 'a failed assertion beside PostgreSQL', files: [`${TAP}${POSTGRES}2)\n})\n`], bad: 0 },
  {
    what: 'a failed assertion in a test inside of a test, between good files',
    files: [GOOD, `${TAP}t.test('a', async (t) => {\n  await t.test('b', async (t) => t.equal(1, 2))\n})\n`, GOOD],
    bad: 1,
  },
  { what: 'an exception', files: [GOOD, `${TAP}t.ok(true)\nthrow new Error('planted')\n`], bad: 1 },
  { what: 'process.exit(0)', files: [GOOD, `${TAP}t.ok(true)\nprocess.exit(0)\n`, GOOD], bad: 1, passed: 3 },
  {
    what: 'an unhandled rejection',
    files: [GOOD, `${TAP}t.ok(true)\nvoid Promise.reject(new Error('planted'))\n`],
    bad: 1,
  },
  {
    what: 'an exception after the end of the tests',
    files: [`${TAP}t.ok(true)\nsetTimeout(() => {\n  throw new Error('planted')\n}, 0)\n`],
    bad: 0,
  },
  { what: 'a promise that never settles', files: [`${TAP}t.ok(true)\nawait new Promise(() => {})\n`], bad: 0 },
  {
    what: 'a file that takes longer than its time, before a good one',
    files: [`${TAP}t.ok(true)\nawait new Promise((resolve) => setTimeout(resolve, 600_000))\n`, GOOD],
    bad: 0,
    passed: 2,
  },
  { what: 'a file without assertions', files: [GOOD, 'export {}\n'], bad: 1 },
  {
    what: 'a file whose only test is skipped',
    files: [`${TAP}t.test('later', { skip: true }, async () => {})\n`],
    bad: 0,
  },
  { what: 'a test without assertions', files: [`${GOOD}t.test('empty', async () => {})\n`], bad: 0 },
  { what: 'a file that is not there', files: [GOOD], bad: null, missing: 'not-there.test.ts' },
]

const root = join(import.meta.dirname, '..')
const folder = join(root, `spec/planted-${process.pid}`)
let wrong = 0
try {
  for (const planted of PLANTED) {
    const problem = findProblem(planted)
    process.stdout.write(`${problem === null ? 'as it must' : `WRONG: ${problem}`}: ${planted.what}\n`)
    if (problem !== null) wrong++
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (wrong > 0) process.stdout.write(`${wrong} runs of the test runner did not end as they must\n`)
process.exit(wrong > 0 ? 1 : 0)

/** Runs planted files. null: the run had the expected result. */
function findProblem({ files, bad, missing, passed }: Planted): string | null {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const paths = files.map((text, index) => {
    const path = join(folder, `${index}.test.ts`)
    writeFileSync(path, text)
    return path
  })
  if (missing) paths.push(join(folder, missing))
  const args = ['spec/support/run-tests.ts', '--timeout', String(TIMEOUT), ...paths]
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const mustPass = bad === null && missing === undefined
  const totals = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(stdout.trimEnd().split('\n').at(-1) ?? '')
  if (mustPass !== (status === 0)) return `exit code ${status}`
  if (!totals) return `the last line is no total: ${stdout.slice(-200)}`
  if (mustPass) return Number(totals[1]) === files.length && totals[2] === '0' ? null : `the total is ${totals[0]}`
  if (passed !== undefined && Number(totals[1]) !== passed) return `the total is ${totals[0]}`
  if (totals[2] === '0') return `the total is ${totals[0]}`
  const named = relative(root, missing ? paths.at(-1)! : paths[bad!]!)
  return stdout.includes(`not ok ${named}`) ? null : `${named} is not named`
}
