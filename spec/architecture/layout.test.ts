import t from 'tap'
import {
  habitFaults,
  LINES_MAX,
  LINES_WANTED,
  longerThan,
  machineFaults,
  nameFaults,
  processFaults,
  topLevelFaults,
} from './layout.ts'
import { projectPaths, readProjectFile, sourceFiles } from './source-files.ts'

const paths = projectPaths()
const files = sourceFiles()

function planted(path: string, text: string) {
  return [{ path, text }]
}

t.test('the top level holds only listed files and dot files', async (t) => {
  t.same(topLevelFaults(paths), [])
  t.same(topLevelFaults([...paths, 'src/x.ts', 'notes.md', '.hidden/x']), ['src', 'notes.md'])
})

t.test('files and folders are named in kebab-case', async (t) => {
  t.same(nameFaults(paths), [])
  const wrong = ['server/Server.ts', 'jmap/mailBox/get.ts', 'rest/a_b.ts', 'mta/-x.ts', 'spec/a--b.test.ts']
  t.same(nameFaults([...wrong, 'server/x.ts', 'spec/corpus/Odd_Name.eml', 'spec/a-b.test.ts', 'README.md']), wrong)
})

t.test('no source file is too long', async (t) => {
  t.same(longerThan(LINES_MAX, files), [])
  for (const long of longerThan(LINES_WANTED, files)) t.comment(`long: ${long}`)
  t.same(longerThan(LINES_MAX, planted('server/x.ts', 'x\n'.repeat(LINES_MAX + 1))), ['server/x.ts: 401 lines'])
  t.same(longerThan(LINES_MAX, planted('server/x.ts', 'x\n'.repeat(LINES_MAX))), [])
})

t.test('only the entry uses the process', async (t) => {
  t.same(processFaults(files), [])
  const wrong = [
    'const { env } = process.env',
    "process['exit'](1)",
    'const x = { y: process.argv }',
    'globalThis.process.exit()',
    "import { env } from 'node:process'",
    "import process from 'process'",
    "const { exit } = await import('node:process')",
    'process?.exit()',
  ]
  for (const text of wrong) t.same(processFaults(planted('server/http/x.ts', text)), ['server/http/x.ts'], text)
  const right = [
    'core.process(principal, request)',
    'this.process.bind(x)',
    '// process.exit is for main.ts',
    "const words = 'process.env'",
    "type Calls = Pick<Core, 'process'>",
    'process(request)',
    'const url = `http://x/` // process.env',
  ]
  for (const text of right) t.same(processFaults(planted('server/http/x.ts', text)), [], text)
  t.same(processFaults(planted('server/main.ts', 'process.exit()')), [])
})

t.test('exports have names, and no todo is left', async (t) => {
  t.same(habitFaults(files), [])
  const todo = 'TO'.concat('DO')
  t.same(habitFaults(planted('rest/x.ts', `export default 1\n// ${todo}: more`)), [
    'rest/x.ts has a default export',
    'rest/x.ts has work left to do',
  ])
})

t.test('the repository contains nothing that depends on one machine', async (t) => {
  const texts = paths.filter((path) => !path.startsWith('spec/corpus/')).map(readProjectFile)
  t.same(machineFaults(texts), [])
  // Assembled from pieces, so that this file does not contain them.
  const path = (folder: string, name: string) => `/${folder}/${name}`
  const host = (...labels: string[]) => labels.join('.')
  const [known, own] = [host('registry', 'example', 'org'), host('npm', 'internal')]
  const resolved = (url: string) => ['"resolved"', ` "${url}"`].join(':')
  const tarball = 'http://10.0.0.1:4873/x/-/x-1.0.0.tgz'
  const setting = ['registry', 'http://10.0.0.1:4873/'].join('=')
  const wrong: [text: string, ...found: string[]][] = [
    [`cd ${path('work', 'main')}`, path('work', 'main')],
    [`"${path('home', 'alice')}/x"`, path('home', 'alice')],
    [`(${path('Users', 'bob')})`, path('Users', 'bob')],
    [resolved(tarball), tarball],
    [setting, setting],
    [`from https://${own}/x`, own],
    [`as ${known} has it`, known],
    [resolved(`https://${known}/x.tgz`), `https://${known}/x.tgz`, known],
  ]
  for (const [text, ...found] of wrong)
    t.same(
      machineFaults(planted('README.md', text)),
      found.map((words) => `README.md: ${words}`),
      text,
    )
  const right = [
    '"integrity": "sha512-x"',
    'https://example.org/home/alice',
    '/api/v1/work/x',
    'registry.methods.get(name)',
  ]
  for (const text of right) t.same(machineFaults(planted('README.md', text)), [], text)
})
