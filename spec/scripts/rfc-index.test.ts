import t from 'tap'
import { rfcCitations } from '../../scripts/references/rfc-citations.ts'
import { rfcFaults } from '../../scripts/references/rfc-faults.ts'
import { testTitles } from '../../scripts/references/test-titles.ts'

const ROW = ['8620', '5.3', 'MUST', 'server', 'answers', 'spec/a.test.ts > it answers']

/** A project of a few files, with an index of these rows. */
function faultsOf(
  rows: readonly (readonly string[])[],
  code = '// RFC 8620 5.3',
  test = "t.test('it answers', f)",
): string[] {
  const files: { readonly [path: string]: string } = {
    'index.tsv': ['# rfc\tclause', ...rows.map((row) => row.join('\t')), ''].join('\n'),
    'spec/a.test.ts': test,
    'jmap/a.ts': code,
  }
  return rfcFaults({ read: (path) => files[path] ?? null, code: ['jmap/a.ts'] }, ['index.tsv'])
}

function changed(column: number, value: string): string[] {
  return ROW.with(column, value)
}

t.test('an index whose rows name existing tests has no fault', async (t) => {
  t.same(faultsOf([ROW]), [])
  t.same(faultsOf([ROW, ['8620', '5.3', 'MUST NOT', 'client', 'asks twice', '-']]), [])
})

t.test('a missing index is a fault', async (t) => {
  t.same(rfcFaults({ read: () => null, code: [] }, ['index.tsv']), ['index.tsv is not there'])
})

t.test('a row with too few or too many columns is a fault', async (t) => {
  t.match(faultsOf([ROW, ROW.slice(0, 5)]), ['index.tsv:3: 5 columns instead of 6'])
  t.match(faultsOf([ROW, [...ROW, 'more']]), ['index.tsv:3: 7 columns instead of 6'])
})

t.test('an unknown level, or an unknown who, is a fault', async (t) => {
  t.same(faultsOf([ROW, changed(2, 'MAY')]), ["index.tsv:3: unknown level 'MAY'"])
  t.same(faultsOf([ROW, changed(3, 'proxy')]), ["index.tsv:3: unknown who 'proxy'"])
  t.same(faultsOf([ROW, changed(0, 'RFC8620')]).length, 1)
  t.same(faultsOf([ROW, changed(1, 'five')]).length, 1)
  t.same(faultsOf([ROW, changed(4, ' ')]).length, 1)
})

t.test('a server row without a test is a fault, and so is a client row with one', async (t) => {
  for (const none of ['', '-', ' ']) t.same(faultsOf([ROW, changed(5, none)]), ['index.tsv:3: no test shows: answers'])
  t.match(faultsOf([ROW, changed(3, 'client')]), ['index.tsv:3: a client row has the test -'])
  t.match(faultsOf([ROW, changed(5, 'it answers')]), [/is not 'spec\/file\.test\.ts > title'/])
})

t.test('a missing test file is a fault', async (t) => {
  const row = changed(5, 'spec/a.test.ts > it answers ; spec/b.test.ts > it answers')
  t.same(faultsOf([row]), ['index.tsv:2: spec/b.test.ts is not there'])
})

t.test('a title that the file does not have is a fault', async (t) => {
  const missing = ["index.tsv:2: spec/a.test.ts has no test 'it answers'"]
  t.same(faultsOf([ROW], '', "t.test('it answers too', f)"), missing)
  t.same(faultsOf([ROW], '', "// t.test('it answers', f)"), missing, 'a comment is no test')
  t.same(faultsOf([ROW], '', "t.same('it answers', f)"), missing, 'nor is another call')
  t.same(faultsOf([ROW], '', 'const x = "t.test(\'it answers\')"'), missing, 'nor is a string')
  t.same(faultsOf([ROW], '', "t.test(name, { todo: 'it answers' })"), missing, 'nor is another argument')
})

t.test('a repeated row is a fault', async (t) => {
  t.same(faultsOf([ROW, changed(4, 'more'), ROW]), ['index.tsv:4: the same row as index.tsv:2'])
})

t.test('a clause that the code cites and the index lacks is a fault', async (t) => {
  t.same(faultsOf([ROW], '\n/** RFC 8620 5.3, 5.4 */'), ['jmap/a.ts:2: RFC 8620 5.4 is cited but not in the index'])
  t.same(faultsOf([ROW], '// RFC 8621 5.3'), ['jmap/a.ts:1: RFC 8621 5.3 is cited but not in the index'])
  t.same(
    faultsOf([ROW], '// RFC 8620 5, and RFC 5322 3.6'),
    [],
    'control: it has one below, and the other RFC is none of these',
  )
  t.same(faultsOf([ROW], '// RFC 8620 5.3.1').length, 1, 'control: the row is of one above')
})

t.test('citations are read in all usual forms', async (t) => {
  const cited = (text: string) => rfcCitations(text).map(({ rfc, clause }) => `${rfc} ${clause}`)
  t.same(cited('RFC 8620 2, 3.1, 6, 7.3), answered'), ['8620 2', '8620 3.1', '8620 6', '8620 7.3'])
  t.same(cited('RFC 8621 4.1.2 and 4.1.3: forms'), ['8621 4.1.2', '8621 4.1.3'])
  t.same(cited('RFC 8620 1.2 to 1.4: Id'), ['8620 1.2', '8620 1.3', '8620 1.4'])
  t.same(cited('RFC 8620 5.3. Then 5.4'), ['8620 5.3'])
  t.same(cited('RFC 8620 2, RFC 8621 1.3.'), ['8620 2', '8621 1.3'])
  t.same(cited('(RFC 8621\n * 4.1.4, name)'), ['8621 4.1.4'])
  t.same(cited('RFC 8620 5.3,\n// 5.4'), ['8620 5.3', '8620 5.4'])
  t.same(cited('RFC 8887, section 4.3.3'), ['8887 4.3.3'])
  t.same(cited("RFC 8621's own, RFC 8621 names 3"), [])
  t.same(cited('RFC 8620 5.3, 30 days'), ['8620 5.3', '8620 30'], 'what looks like a clause counts as one')
})

t.test('titles are read from every kind of string', async (t) => {
  const titles = (text: string) => testTitles(text).map(({ title }) => title)
  t.same(titles("t.test('a', f)\n  await inner.test(\n    \"b's\",\n f)"), ['a', "b's"])
  t.same(titles("t.test(\n // why\n 'a', f)"), ['a'])
  t.same(titles("t.test('it\\'s', f)"), ["it's"])
  t.same(titles("if (/['\"]/.test(text)) t.test('after a pattern', f)"), ['after a pattern'])
  t.same(titles('const s = `$'.concat('{`x`}`')), [])
  t.same(titles("t.match(x, /it's/)\nt.test('after', f)"), ['after'])
})

t.test('a variable in a title matches anything, but a title that is only a variable matches nothing', async (t) => {
  const [what, clause] = ['what', 'clause'].map((name) => `$\{${name}}`)
  const [title] = testTitles(`t.test(\`refuses ${what} (RFC 8620 ${clause})\`, f)`)
  t.ok(title!.matches('refuses a date (RFC 8620 1.4)'))
  t.ok(title!.matches(`refuses ${what} (RFC 8620 ${clause})`))
  t.notOk(title!.matches('takes a date (RFC 8620 1.4)'))
  const [bare] = testTitles(`t.test(\`${what}\`, f)`)
  t.notOk(bare!.matches('refuses a date'))
})
