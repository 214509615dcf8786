// spec/promises/proofs.tsv names the tests and scripts that prove promises; they must exist.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testTitles } from '../../scripts/references/test-titles.ts'

const ROOT = join(import.meta.dirname, '../..')
const ROWS = 'D3 D4 D6 D8 S1 S2 S3 S4 S5 S6 S7 S8 S9 S11 S13 Q1 Q2 Q3 Q4 Q5 Q6 A2 A3 W1 W2 W3'.split(' ')

/** The faults of the rows, one line each. @param read the text of a file; null: it does not exist */
function promiseFaults(table: string, wanted: readonly string[], read: (path: string) => string | null): string[] {
  const rows = table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
  const missing = wanted.filter((id) => !rows.some(([row]) => row === id)).map((id) => `${id} has no row`)
  const faults = rows.flatMap((columns) => {
    const [id = '', , proofs = ''] = columns
    if (columns.length !== 5 || columns.some((column) => column.trim() === '')) return [`${id} has not five columns`]
    return proofs.split(' ; ').flatMap((proof) => {
      const [path = '', title] = proof.split(/ > (.*)/s)
      const text = read(path)
      if (text === null) return [`${id}: ${path} is not there`]
      if (path.startsWith('scripts/') && title === undefined) return []
      return testTitles(text).some((one) => one.matches(title ?? '')) ? [] : [`${id}: ${path} has no test '${title}'`]
    })
  })
  return [...missing, ...faults]
}

t.test('every promise is proved by existing tests and scripts', async (t) => {
  const read = (path: string) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : null)
  t.same(promiseFaults(read('spec/promises/proofs.tsv')!, ROWS, read), [])
})

t.test('control: a missing row, a missing title or script, and a short row are reported', async (t) => {
  const read = (path: string) =>
    path === 'spec/a.test.ts' ? "t.test('it holds', f)" : path === 'scripts/a.ts' ? '' : null
  const faults = (row: string) => promiseFaults(row, ['S1'], read)
  t.same(faults('S1\tall\tspec/a.test.ts > it holds ; scripts/a.ts\tnode\t1 of 1'), [])
  t.same(faults(''), ['S1 has no row'])
  t.same(faults('S1\tall\tspec/a.test.ts > it stands\tnode\t1'), ["S1: spec/a.test.ts has no test 'it stands'"])
  t.same(faults('S1\tall\tscripts/b.ts\tnode\t1'), ['S1: scripts/b.ts is not there'])
  t.same(faults('S1\tall\tspec/a.test.ts\tnode\t1').length, 1)
  t.same(faults('S1\tall\tscripts/a.ts\tnode\t'), ['S1 has not five columns'])
})
