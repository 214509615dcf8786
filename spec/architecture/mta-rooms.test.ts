import t from 'tap'
import { cycles } from './imports.ts'
import { mtaRoomFaults } from './mta-rooms.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles().filter(({ path }) => path.startsWith('mta/'))

function planted(path: string, statement: string) {
  return [{ path, text: `${statement}\n` }]
}

t.test('rooms of mta/ import only rooms below them, types included', async (t) => {
  t.ok(files.length > 50)
  t.same(mtaRoomFaults(files), [])
})

t.test('an import of an upper room is found, of a type too, and a room without a direction', async (t) => {
  const wrong: [path: string, statement: string, fault: string][] = [
    ['mta/smtp/x.ts', "import { x } from '../inbound/listener.ts'", 'mta/smtp/x.ts imports mta/inbound/listener.ts'],
    ['mta/smtp/x.ts', "import type { X } from '../dns/wire.ts'", 'mta/smtp/x.ts imports mta/dns/wire.ts'],
    ['mta/dns/x.ts', "export { x } from '../smtp/reply.ts'", 'mta/dns/x.ts imports mta/smtp/reply.ts'],
    [
      'mta/reports/x.ts',
      "import type { X } from '../outbound/queue.ts'",
      'mta/reports/x.ts imports mta/outbound/queue.ts',
    ],
    [
      'mta/inbound/checks/x.ts',
      "const x = await import('../../outbound/dkim.ts')",
      'mta/inbound/checks/x.ts imports mta/outbound/dkim.ts',
    ],
    [
      'mta/submission/x.ts',
      "import type { X } from '../outbound/queue.ts'",
      'mta/submission/x.ts imports mta/outbound/queue.ts',
    ],
    ['mta/outbound/x.ts', "import type { Mta } from '../mta.ts'", 'mta/outbound/x.ts imports mta/mta.ts'],
    ['mta/milter/x.ts', "import { x } from './y.ts'", 'mta/milter/x.ts is in a room without a direction'],
  ]
  for (const [path, statement, fault] of wrong) t.same(mtaRoomFaults(planted(path, statement)), [fault], statement)
  const right: [path: string, statement: string][] = [
    ['mta/outbound/x.ts', "import type { X } from '../inbound/local-delivery.ts'"],
    ['mta/inbound/checks/x.ts', "import { x } from '../../dns/resolver.ts'"],
    ['mta/reports/x.ts', "import { x } from '../../jmap/core.ts'"],
    ['mta/mta.ts', "import { x } from './outbound/queue.ts'"],
    ['jmap/x.ts', "import { x } from './y.ts'"],
  ]
  for (const [path, statement] of right) t.same(mtaRoomFaults(planted(path, statement)), [], statement)
})

t.test('no modules of mta/ import each other in a circle, types included', async (t) => {
  t.same(cycles(files, { withTypes: true }), [])
})

t.test('a circle that an import of a type closes is found', async (t) => {
  const circle = [
    ...planted('mta/smtp/a.ts', "import { b } from './b.ts'"),
    ...planted('mta/smtp/b.ts', "import type { A } from './a.ts'"),
  ]
  t.same(cycles(circle, { withTypes: true }), ['mta/smtp/a.ts -> mta/smtp/b.ts'])
  t.same(cycles(circle), [], 'control: types alone are no circle when the program runs')
})
