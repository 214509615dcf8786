// References by number and by name, with faults planted in a small project.
import t from 'tap'
import { referenceFaults } from '../../scripts/check-references.ts'
import { numberedCitations } from '../../scripts/references/numbered.ts'
import { proseOf } from '../../scripts/references/prose.ts'

const ROW = ['8620', '5.3', 'MUST', 'server', 'answers', 'spec/a.test.ts > it answers'].join('\t')
// Joined here, so that this file does not contain it.
const BESIDE = ['..', 'shared'].join('/')
const alone = (letter: string, number: number) => `${letter}${number}`

/** A project without faults, with some files changed or added. */
function faultsOf(changed: { readonly [path: string]: string } = {}): string[] {
  const files = {
    'spec/rfc-index.tsv': ROW,
    'spec/a.test.ts': "t.test('it answers', f)",
    'spec/decisions/api-folders.md': '# Folders\n\n## D8 Mailbox\n\n## D9 Folders\n\nText.\n\n## E2 Paths\n',
    'spec/decisions/jmap-pitfalls.md': '### Pitfall 12 queryChanges\n\nText.\n',
    'spec/promises/smtp.md': '# SMTP\n\n## S4 No open relay\n\n## D9 PostgreSQL\n',
    'spec/promises/proofs.tsv': 'row\tproof\nS4\tspec/a.test.ts\n',
    'README.md': 'See spec/decisions/api-folders.md.',
    'jmap/a.ts': '// Decision D9, promise S4, pitfall 12.',
    ...changed,
  }
  return referenceFaults(new Map(Object.entries(files)))
}

t.test('a project whose references are valid has no fault', async (t) => {
  t.same(faultsOf(), [])
})

t.test('a cited clause without a row is a fault here too', async (t) => {
  t.same(faultsOf({ 'jmap/a.ts': '// RFC 8620 5.4' }), ['jmap/a.ts:1: RFC 8620 5.4 is cited but not in the index'])
})

t.test('a citation without a heading is a fault, in comments, titles and documents', async (t) => {
  const cited = ['decision', alone('D', 7)].join(' ')
  const fault = `${cited} has no heading`
  t.same(faultsOf({ 'jmap/a.ts': `const a = 1\n/**\n * As ${cited} has it.\n */` }), [`jmap/a.ts:3: ${fault}`])
  t.same(faultsOf({ 'spec/b.test.ts': `\nt.test('it holds (${cited})', f)` }), [`spec/b.test.ts:2: ${fault}`])
  t.same(faultsOf({ 'rest/changelog.md': `\n\nAs ${cited} has it.` }), [`rest/changelog.md:3: ${fault}`])
  t.same(faultsOf({ 'rest/page.html': `<p>${cited}</p>` }), [`rest/page.html:1: ${fault}`])
  t.same(faultsOf({ 'spec/b.tsv': `a\t(${cited})` }), [`spec/b.tsv:1: ${fault}`])
})

t.test('a proof of a promise without a heading is a fault', async (t) => {
  t.same(faultsOf({ 'spec/promises/proofs.tsv': 'row\tproof\nS4\tx\nS5\tx\n' }), [
    'spec/promises/proofs.tsv:3: promise S5 has no heading',
  ])
})

t.test('decisions, promises and pitfalls have separate numbers', async (t) => {
  const wrong = [
    ['promise', alone('D', 8)],
    ['decision', alone('S', 4)],
    ['pitfall', '13'],
  ]
  for (const [kind, number] of wrong) t.match(faultsOf({ 'jmap/a.ts': `// ${kind} ${number}` }), [/has no heading/])
  t.same(faultsOf({ 'jmap/a.ts': '// promise D9' }), [], 'control: both have this one')
})

t.test('a number without its word is a fault', async (t) => {
  const d9 = alone('D', 9)
  const fault = `${d9} stands alone: write 'decision ${d9}' or 'promise ${d9}'`
  t.same(faultsOf({ 'jmap/a.ts': `\n// As a folder (${d9}).` }), [`jmap/a.ts:2: ${fault}`])
  t.same(faultsOf({ 'spec/b.test.ts': `t.test('it holds (${d9})', f)` }), [`spec/b.test.ts:1: ${fault}`])
  t.same(faultsOf({ 'README.md': `It is ${d9}.` }), [`README.md:1: ${fault}`])
  t.same(faultsOf({ 'jmap/a.ts': `// Decision D8 says it, ${d9} not.` }), [`jmap/a.ts:1: ${fault}`])
})

t.test('text of protocols, code and the storage service contains no such numbers', async (t) => {
  const right = [
    "const id = 'A1'",
    "// =C3=A4 and utf-8''%E2%80 and 2026-01-01T00",
    "// { accountId: 'A1' }",
    '// Objects on S3.',
    'const D9 = 1',
    '// MD5, X25, ISO-8859-15',
  ]
  for (const text of right) t.same(faultsOf({ 'jmap/a.ts': text }), [], text)
})

t.test('a number with two headings is a fault', async (t) => {
  t.same(faultsOf({ 'spec/decisions/api-more.md': '# More\n\n## D9 Folders again\n' }), [
    'spec/decisions/api-more.md:3: decision D9 has another heading already',
  ])
})

t.test('a document or a file that is not in the repository is a fault', async (t) => {
  const name = (...parts: string[]) => parts.join('.')
  for (const mention of [name('design', 'md'), name('api/list', 'tsv'), name('note', 'txt'), name('jmap/gone', 'ts')]) {
    t.same(faultsOf({ 'jmap/a.ts': `\n// See ${mention}.` }), [`jmap/a.ts:2: ${mention} is not in the repository`])
    t.same(faultsOf({ 'README.md': `See \`${mention}\`.` }), [`README.md:1: ${mention} is not in the repository`])
    t.same(faultsOf({ 'README.md': `[${mention}](${mention})` }), [`README.md:1: ${mention} is not in the repository`])
  }
})

t.test('a document is found from the top and from where it is mentioned', async (t) => {
  const right: [path: string, text: string][] = [
    ['spec/decisions/index.md', 'api-folders.md, ../promises/smtp.md, spec/promises/smtp.md'],
    ['jmap/b.ts', '// jmap/a.ts, spec/rfc-index.tsv'],
    ['jmap/b.ts', "import { a } from './gone.ts'\nconst file = 'mail/gone.txt'"],
    ['jmap/b.ts', '// Files *.md, scripts/*.ts, https://example.org/a.txt'],
  ]
  for (const [path, text] of right) t.same(faultsOf({ [path]: text }), [], text)
})

t.test('documents outside of the repository are named by one file only', async (t) => {
  const text = `export const CORPORA = join(folder, '../${BESIDE}/corpora')`
  t.same(faultsOf({ 'spec/support/corpora.ts': text }), [])
  t.same(faultsOf({ 'scripts/bench/mime.ts': text }), [
    `scripts/bench/mime.ts:1: ../${BESIDE} is beside the repository, not in it`,
  ])
  t.match(faultsOf({ 'README.md': `mails of ${BESIDE}/corpora` }), [/is beside the repository/])
})

t.test('citations are read in all usual forms', async (t) => {
  const cited = (text: string) => numberedCitations(text).citations.map(({ name }) => name)
  t.same(cited('Decision D9: names'), ['decision D9'])
  t.same(cited('(decisions D14, D25 to D27)'), ['decision D14', 'decision D25', 'decision D26', 'decision D27'])
  t.same(cited('decision D2, promise Q1.'), ['decision D2', 'promise Q1'])
  t.same(cited('promises J2 and J3; RFC 8620 5.3'), ['promise J2', 'promise J3'])
  t.same(cited('as decision\n * D9 has it'), ['decision D9'])
  t.same(cited('decisions D8,\n// D16'), ['decision D8', 'decision D16'])
  t.same(cited('pitfalls 1 to 3, pitfall 12'), ['pitfall 1', 'pitfall 2', 'pitfall 3', 'pitfall 12'])
  t.same(cited('decisions of people, promises'), [])
})

t.test('the prose of a program is its comments and titles; that of a document is all of it', async (t) => {
  const prose = (path: string, text: string) => proseOf(path, text).map(({ text, line }) => [line, text])
  const program = "const a = '// no comment'\n// one\n// text\nt.test('a title', f)\nconst b = /'/ // another"
  t.same(prose('jmap/a.ts', program), [
    [2, '// one\n// text'],
    [4, 'a title'],
    [5, '// another'],
  ])
  t.same(prose('README.md', 'a\nb'), [[1, 'a\nb']])
  t.same(prose('package-lock.json', 'a'), [])
  t.same(prose('server/x.png', 'a'), [])
})
