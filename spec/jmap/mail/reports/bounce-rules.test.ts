/** The rules that read bounces: their sources, and how general they are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sharedMissing } from '../../../support/corpora.ts'
import { asTable, ruleRows } from './bounce-rules.ts'

const TABLE = readFileSync(join(import.meta.dirname, '../../../bounce-rules.tsv'), 'utf8')
const skip = sharedMissing()

t.test('each rule has a name and a source, and the table shows it', async (t) => {
  const rows = ruleRows([])
  const withoutCounts = (table: string) => table.split('\n').map((line) => line.split('\t').slice(0, 3).join('\t'))
  t.same(withoutCounts(TABLE), withoutCounts(asTable(rows)), 'server/node scripts/interop/bounces.ts --rules')
  const names = rows.map(({ part, rule }) => `${part} ${rule.name}`)
  t.equal(new Set(names).size, names.length)
  for (const { rule } of rows) t.match(rule.source, /\w/, rule.name)
})

t.test('no rule names a host or an address', async (t) => {
  const named = /[a-z0-9]\\?\.(?:com|net|org|jp|edu|de|fr|ru)\b/i
  for (const { rule } of ruleRows([])) t.notMatch(rule.words.source, named, rule.name)
  t.match('barracudacentral\\.org', named, 'control')
})

t.test('few rules match only one of the open mails', { skip }, async (t) => {
  const rows = ruleRows()
  t.equal(TABLE, asTable(rows), 'server/node scripts/interop/bounces.ts --rules')
  const single = rows.filter(({ files }) => files.size === 1)
  t.ok(single.length <= 0.05 * rows.length, `${single.length} of ${rows.length}`)
})
