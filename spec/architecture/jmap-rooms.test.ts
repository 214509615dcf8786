import t from 'tap'
import { JMAP_ROOMS } from './jmap-rooms.ts'
import { roomFaults } from './rooms.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles()

t.test('imports between the rooms of jmap go one way, imports of types included', async (t) => {
  t.ok(files.filter(({ path }) => path.startsWith('jmap/')).length > 300, 'control: they were read')
  t.same(roomFaults(files, 'jmap/', JMAP_ROOMS), [])
})

t.test('an import of an upper room of jmap is found, also of a type, and a file without a room', async (t) => {
  const faults = (path: string, text: string) => roomFaults([{ path, text }], 'jmap/', JMAP_ROOMS)
  const wrong: [path: string, from: string, target: string][] = [
    ['jmap/protocol/x.ts', '../type/context.ts', 'jmap/type/context.ts'],
    ['jmap/message/x.ts', '../mail/email/email.type.ts', 'jmap/mail/email/email.type.ts'],
    ['jmap/sieve/x.ts', '../type/handlers.ts', 'jmap/type/handlers.ts'],
    ['jmap/type/x.ts', '../policy/plan.ts', 'jmap/policy/plan.ts'],
    ['jmap/policy/x.ts', '../directory/alias.type.ts', 'jmap/directory/alias.type.ts'],
    ['jmap/mail/email/x.ts', '../../delivery/ingest.ts', 'jmap/delivery/ingest.ts'],
    ['jmap/delivery/x.ts', '../notices/notify-owner.ts', 'jmap/notices/notify-owner.ts'],
    ['jmap/push/x.ts', '../services.ts', 'jmap/services.ts'],
  ]
  for (const [path, from, target] of wrong) {
    t.same(faults(path, `import { x } from '${from}'`), [`${path} imports ${target}`])
    t.same(faults(path, `import type { X } from '${from}'`), [`${path} imports ${target}`], 'a type')
  }
  t.same(faults('jmap/new-room/x.ts', ''), ['jmap/new-room/x.ts is in no room'])
  t.same(faults('jmap/x.ts', ''), ['jmap/x.ts is in no room'])
  t.same(
    faults('jmap/delivery/x.ts', "import { x } from '../mail/email/store-email.ts'\nimport { y } from './y.ts'"),
    [],
  )
  t.same(faults('jmap/services.ts', "import { x } from './push/channel.ts'"), [])
})
