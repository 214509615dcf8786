import t from 'tap'
import { REST_ROOMS } from './rest-rooms.ts'
import { roomFaults } from './rooms.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles()

t.test('imports between the rooms of rest go one way', async (t) => {
  t.same(roomFaults(files, 'rest/', REST_ROOMS), [])
})

t.test('rooms of rest may only import rooms listed before them', async (t) => {
  const names = Object.keys(REST_ROOMS)
  for (const [i, name] of names.entries())
    t.same(
      REST_ROOMS[name]?.mayImport.filter((other) => !names.slice(0, i).includes(other)),
      [],
      name,
    )
})

t.test('an import the other way is found, also of a type, and a file without a room', async (t) => {
  const faults = (path: string, text: string) => roomFaults([{ path, text }], 'rest/', REST_ROOMS)
  const wrong: [path: string, from: string, target: string][] = [
    ['rest/errors/x.ts', '../schema/schema.ts', 'rest/schema/schema.ts'],
    ['rest/calls/x.ts', '../endpoint.ts', 'rest/endpoint.ts'],
    ['rest/shapes/x.ts', '../resources/aliases.ts', 'rest/resources/aliases.ts'],
    ['rest/endpoint.ts', './pipeline/router.ts', 'rest/pipeline/router.ts'],
    ['rest/pipeline/x.ts', '../resources/aliases.ts', 'rest/resources/aliases.ts'],
    ['rest/resources/x.ts', '../endpoints.ts', 'rest/endpoints.ts'],
    ['rest/client/x.ts', '../errors/api-error.ts', 'rest/errors/api-error.ts'],
  ]
  for (const [path, from, target] of wrong) {
    t.same(faults(path, `import { x } from '${from}'`), [`${path} imports ${target}`])
    t.same(faults(path, `import type { X } from '${from}'`), [`${path} imports ${target}`], 'a type')
  }
  t.same(faults('rest/x.ts', ''), ['rest/x.ts is in no room'])
  t.same(faults('rest/new-room/x.ts', ''), ['rest/new-room/x.ts is in no room'])
  t.same(faults('rest/resources/x.ts', "import { x } from '../endpoint.ts'\nimport { y } from './y.ts'"), [])
})
