// spec/contract.tsv compared with the keys that are computed from the contract's text, with faults planted in a small contract.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { contractFaults } from '../../scripts/check-contract.ts'
import { contractKeys } from '../../scripts/contract/contract-keys.ts'
import { readContractRows } from '../../scripts/contract/contract-rows.ts'

const ROOT = join(import.meta.dirname, '../..')
const given = process.env['SPEC_CONTRACT']

const CONTRACT = `# Contract

This is about everything.

Conventions: paths begin with a slash. Times are in UTC.

## What the service does

Words.

### Status

\`GET /v1/status\`: for anyone. Returns 200.

### Folders (\`object: folder\`)

| Field | Type |
|---|---|
| id, name | string |
| size | integer |

| Method and path | Scope | Request |
|---|---|---|
| POST /v1/boxes/:id/folders | write | \`name\` string (\`inbox\` is taken); \`{kind: string, size?: integer}\` |
| GET /v1/boxes/:id/folders/:folder_id?mailbox=<id> | read | query \`limit\` |

## Errors

1. An envelope. Types are strings.
2. Types:

| Status | Meaning |
|---|---|
| 401 (no key) | Refused |

| State | Next |
|---|---|
| open | closed |
| open | gone |
`

const KEYS = [
  'Conventions/conventions-paths-begin-with',
  'Conventions/times-are-in-utc',
  'Status/GET status',
  'Status/returns-200',
  'Folders/id',
  'Folders/name',
  'Folders/size',
  'Folders/POST folders',
  'Folders/POST folders .name',
  'Folders/POST folders .kind',
  'Folders/POST folders .size',
  'Folders/GET folders/:folder_id',
  'Folders/GET folders/:folder_id ?mailbox',
  'Folders/GET folders/:folder_id ?limit',
  'Errors/an-envelope',
  'Errors/types-are-strings',
  'Errors/401',
  'Errors/open closed',
  'Errors/open gone',
]

/** The faults of a table with these rows, in a project with one test file. */
function faults(rows: readonly string[], contract: string | null = null): string[] {
  const files: { [path: string]: string } = {
    'spec/contract.tsv': rows.join('\n'),
    'spec/a.test.ts': "t.test('it works', async () => {})",
  }
  return contractFaults((path) => files[path] ?? null, contract)
}

const row = (keys: string) => `${keys}\ta rule\tspec/a.test.ts > it works`
const keysOf = (text: string) => contractKeys(text).map(({ key }) => key)

t.test('every row of the contract has an existing test', async (t) => {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  t.same(
    contractFaults((path) => read(join(ROOT, path)), given === undefined ? null : readFileSync(given, 'utf8')),
    [],
  )
})

t.test('the open places that decision D30 lists are rows of the contract', async (t) => {
  const { rows } = readContractRows('spec/contract.tsv', readFileSync(join(ROOT, 'spec/contract.tsv'), 'utf8'))
  const known = new Set(rows.flatMap(({ keys }) => keys))
  const listed = [
    ...readFileSync(join(ROOT, 'spec/decisions/api-coverage.md'), 'utf8').matchAll(/^\| `([^`]+)` \|/gm),
  ].map(([, key]) => key!)
  t.ok(listed.length > 40)
  t.same(
    listed.filter((key) => !known.has(key)),
    [],
  )
})

t.test('rows of tables, members of requests and sentences have keys', async (t) => {
  t.same(keysOf(CONTRACT), KEYS)
})

t.test('keys stay when lines move, and a new row or sentence has its own key', async (t) => {
  t.same(keysOf(CONTRACT.replaceAll('\n\n', '\n\n\n')), KEYS)
  const more = CONTRACT.replace('| size |', '| colour | string |\n| size |').replace(
    'Types are',
    'Types do not. Types are',
  )
  t.same(
    keysOf(more).filter((key) => !KEYS.includes(key)),
    ['Folders/colour', 'Errors/types-do-not'],
  )
})

t.test('sentences with the same beginning are distinguished, even identical ones', async (t) => {
  const rules =
    '## Rules\n\n- A key is a text. A key is a text of 40.\n- One state. Not shown.\n- Another state. Not shown.'
  t.same(keysOf(rules), [
    'Rules/a-key-is-a-text',
    'Rules/a-key-is-a-text-of',
    'Rules/one-state',
    'Rules/one-state-not-shown',
    'Rules/another-state',
    'Rules/another-state-not-shown',
  ])
})

t.test('endpoints in a sentence have the same keys as those of a table', async (t) => {
  const assets = '## Assets\n\nAssets: `GET /v1/assets` (read); `POST /v1/assets?filename=<name>` uploads. Done.'
  t.same(keysOf(assets), ['Assets/GET assets', 'Assets/POST assets', 'Assets/POST assets ?filename', 'Assets/done'])
})

t.test('a table that covers all keys has no fault', async (t) => {
  const rows = [
    '# words',
    row('Conventions/conventions-paths-begin-with, times-are-in-utc'),
    row('Status/GET status, returns-200'),
    row('Folders/id, name, size'),
    row('Folders/POST folders, .name, .kind'),
    row('Folders/POST folders .size'),
    'Folders/GET folders/:folder_id, ?mailbox, ?limit\ta rule\tlater: folders',
    'Errors/an-envelope, types-are-strings\ta rule\tno demand: words',
    row('Errors/401, open closed, open gone'),
  ]
  t.same(faults(rows, CONTRACT), [])
  t.same(faults(rows.with(2, row('Status/GET status')), CONTRACT), [
    "line 13 of the contract has no row: 'Status/returns-200'",
  ])
  t.same(faults(rows.with(4, row('Folders/POST folders, .name')), CONTRACT), [
    "line 24 of the contract has no row: 'Folders/POST folders .kind'",
  ])
  t.same(faults(rows.with(3, row('Folders/id, name, size, colour')), CONTRACT), [
    "spec/contract.tsv:4: the contract has no 'Folders/colour'",
  ])
})

t.test('a key with two rows is found, also without the text', async (t) => {
  t.same(faults([row('Folders/id'), row('Folders/name, id')]), [
    "spec/contract.tsv:2: 'Folders/id' has a row already: spec/contract.tsv:1",
  ])
})

t.test('a malformed row, or one with a missing test, is found', async (t) => {
  const wrong: [row: string, fault: RegExp][] = [
    ['Folders/id\ta rule', /2 columns instead of 3/],
    ['28\ta rule\tspec/a.test.ts > it works', /'28' is no key/],
    ['Folders/\ta rule\tspec/a.test.ts > it works', /'Folders\/' is no key/],
    ['Folders/id, ?limit\ta rule\tspec/a.test.ts > it works', /is no key/],
    ['Folders/id\t \tspec/a.test.ts > it works', /no summary/],
    ['Folders/id\ta rule\t-', /'-' is neither/],
    ['Folders/id\ta rule\tlater:', /is neither/],
    ['Folders/id\ta rule\tno demand: ', /is neither/],
    ['Folders/id\ta rule\tspec/b.test.ts > it works', /spec\/b\.test\.ts is not there/],
    ['Folders/id\ta rule\tspec/a.test.ts > it fails', /has no test 'it fails'/],
  ]
  for (const [row, fault] of wrong) t.match(faults([row]), [fault], row)
  t.same(
    contractFaults(() => null, null),
    ['spec/contract.tsv is not there'],
  )
})
