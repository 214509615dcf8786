import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { contractFaults } from '../../scripts/check-contract.ts'
import { linesToCover } from '../../scripts/contract/contract-lines.ts'

const ROOT = join(import.meta.dirname, '../..')
const given = process.env['POSTHOUSE_CONTRACT']

const CONTRACT = `# Contract

## What it is

Words.

### Status

\`GET /v1/status\`: for anyone.

### Domains

| Method | Response |
|---|---|
| POST /v1/domains | 201 |
| GET /v1/domains | 200 |

### Imports

| POST /v1/imports | 201 |

## Errors

1. An envelope.
2. Types:
`

/** A project with a table of these rows, and one test file. */
function faults(rows: readonly string[], contract: string | null = null): string[] {
  const files: { [path: string]: string } = {
    'spec/contract.tsv': rows.join('\n'),
    'spec/a.test.ts': "t.test('it works', async () => {})",
  }
  return contractFaults((path) => files[path] ?? null, contract)
}

const ROW = (lines: string) => `${lines}\ta rule\tspec/a.test.ts > it works`

t.test('every row of the contract has a test that is there', async (t) => {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  t.same(
    contractFaults((path) => read(join(ROOT, path)), given === undefined ? null : readFileSync(given, 'utf8')),
    [],
  )
})

t.test('rows of tables and rules ask for a test, in the sections that are built', async (t) => {
  t.same(linesToCover(CONTRACT), [9, 15, 16, 24])
})

t.test('a table that covers all of them is right', async (t) => {
  t.same(faults(['# words', ROW('9'), ROW('15-16'), '24\ta rule\tlater: errors'], CONTRACT), [])
})

t.test('what is missing, twice there or asked by nobody is found', async (t) => {
  t.same(faults([ROW('9'), ROW('15'), ROW('24')], CONTRACT), [
    'line 16 of the contract has no row: | GET /v1/domains | 200 |',
  ])
  t.same(faults([ROW('9'), ROW('15-16'), ROW('16'), ROW('24')], CONTRACT), [
    'spec/contract.tsv:3: line 16 has a row already: spec/contract.tsv:2',
  ])
  t.match(faults([ROW('9'), ROW('14-16'), ROW('24')], CONTRACT), [/:2: line 14 of the contract asks for nothing/])
})

t.test('a row that is not well formed, or whose test is not there, is found', async (t) => {
  const wrong: [row: string, fault: RegExp][] = [
    ['9\ta rule', /2 columns instead of 3/],
    ['x\ta rule\tspec/a.test.ts > it works', /'x' is no line/],
    ['9-8\ta rule\tspec/a.test.ts > it works', /'9-8' is no line/],
    ['9\t \tspec/a.test.ts > it works', /no summary/],
    ['9\ta rule\t-', /'-' is neither/],
    ['9\ta rule\tlater:', /is neither/],
    ['9\ta rule\tspec/b.test.ts > it works', /spec\/b\.test\.ts is not there/],
    ['9\ta rule\tspec/a.test.ts > it fails', /has no test 'it fails'/],
  ]
  for (const [row, fault] of wrong) t.match(faults([row]), [fault], row)
  t.same(
    contractFaults(() => null, null),
    ['spec/contract.tsv is not there'],
  )
})
