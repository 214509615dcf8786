import t from 'tap'
import { roomFaults } from './rooms.ts'
import { SERVER_ROOMS } from './server-rooms.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles()

t.test('imports between the rooms of server go one way', async (t) => {
  t.same(roomFaults(files, 'server/', SERVER_ROOMS), [])
})

t.test('rooms of server may only import rooms listed before them', async (t) => {
  const names = Object.keys(SERVER_ROOMS)
  for (const [i, name] of names.entries())
    t.same(
      SERVER_ROOMS[name]!.mayImport.filter((other) => !names.slice(0, i).includes(other)),
      [],
      name,
    )
})

t.test('an import the other way is found, also of a type, and a file without a room', async (t) => {
  const faults = (path: string, text: string) => roomFaults([{ path, text }], 'server/', SERVER_ROOMS)
  const wrong: [path: string, from: string, target: string][] = [
    ['server/base/x.ts', '../config/config.ts', 'server/config/config.ts'],
    ['server/config/x.ts', '../dev/tour.ts', 'server/dev/tour.ts'],
    ['server/http/x.ts', '../pages/docs/docs.ts', 'server/pages/docs/docs.ts'],
    ['server/workers/x.ts', '../context.ts', 'server/context.ts'],
    ['server/threads/x.ts', '../workers/worker.ts', 'server/workers/worker.ts'],
    ['server/context.ts', './server.ts', 'server/server.ts'],
  ]
  for (const [path, from, target] of wrong) {
    t.same(faults(path, `import { x } from '${from}'`), [`${path} imports ${target}`])
    t.same(faults(path, `import type { X } from '${from}'`), [`${path} imports ${target}`], 'a type')
  }
  t.same(faults('server/new-room/x.ts', ''), ['server/new-room/x.ts is in no room'])
  t.same(faults('server/x.ts', ''), ['server/x.ts is in no room'])
  t.same(faults('server/workers/x.ts', "import { x } from '../config/config.ts'\nimport { y } from './y.ts'"), [])
  t.same(faults('server/egress/x.ts', "import { x } from '../../mta/mta.ts'"), [], 'another folder')
})
