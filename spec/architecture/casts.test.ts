import t from 'tap'
import { countCasts, sumCasts } from '../../scripts/count-casts.ts'
import { sourceFiles } from './source-files.ts'

t.test('unsafe constructs that the type checker cannot check are counted', async (t) => {
  const count = (text: string) => countCasts({ path: 'jmap/x.ts', text })
  const none = { as: 0, any: 0, '!': 0, "['name']": 0 }
  t.same(count('const x = y as unknown as string'), { ...none, as: 2 })
  t.same(count("const x = ['a'] as const"), none)
  t.same(count('import { x as y } from "./z.ts"'), none)
  t.same(count('function f(x: any): any[] { return x }'), { ...none, any: 2 })
  t.same(count('const x = y[0]!.z!'), { ...none, '!': 2 })
  t.same(count('const x = !y && y !== z'), none)
  t.same(count("const x = y['z'] ?? y[z] ?? y.z"), { ...none, "['name']": 1 })
  t.same(count("// y['z'] as any\nconst x = \"y['z']!\""), none)
})

t.test('casts, any, ! and quoted names of jmap/ and rest/', async (t) => {
  for (const folder of ['jmap/', 'rest/']) {
    const counts = sumCasts(sourceFiles().filter(({ path }) => path.startsWith(folder)))
    t.comment(`${folder} ${JSON.stringify(counts)}`)
    t.equal(counts.any, 0, `${folder} has no any`)
  }
})
