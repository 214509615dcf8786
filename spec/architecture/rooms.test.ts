import t from 'tap'
import { roomFaults, STORAGE_ROOMS } from './rooms.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles()

t.test('imports between the rooms of storage go one way', async (t) => {
  t.same(roomFaults(files, 'storage/', STORAGE_ROOMS), [])
})

t.test('rooms may only import rooms listed before them', async (t) => {
  const names = Object.keys(STORAGE_ROOMS)
  for (const [i, name] of names.entries())
    t.same(
      STORAGE_ROOMS[name]!.mayImport.filter((other) => !names.slice(0, i).includes(other)),
      [],
      name,
    )
})

t.test('an import the other way is found, also of a type, and a file without a room', async (t) => {
  const faults = (path: string, text: string) => roomFaults([{ path, text }], 'storage/', STORAGE_ROOMS)
  t.same(faults('storage/schema/x.ts', "import type { Sql } from '../ports.ts'"), [
    'storage/schema/x.ts imports storage/ports.ts',
  ])
  t.same(faults('storage/search/x.ts', "import { x } from '../repos/emails.ts'"), [
    'storage/search/x.ts imports storage/repos/emails.ts',
  ])
  t.same(faults('storage/other/x.ts', ''), ['storage/other/x.ts is in no room'])
  t.same(faults('storage/ports.ts', "import { x } from './elsewhere.ts'"), [
    'storage/ports.ts imports storage/elsewhere.ts',
  ])
  t.same(faults('storage/repos/x.ts', "import { x } from '../search/engines.ts'\nimport { y } from './y.ts'"), [])
  t.same(faults('storage/repos/x.ts', "import { x } from '../../server/base/limits.ts'"), [], 'another folder')
})
