import t from 'tap'
import { MTA_ROOMS } from './mta-rooms.ts'
import { roomFaults } from './rooms.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles().filter(({ path }) => path.startsWith('mta/'))

function faults(path: string, text: string): string[] {
  return roomFaults([{ path, text }], 'mta/', MTA_ROOMS)
}

t.test('imports between the rooms of mta go one way, imports of types included', async (t) => {
  t.ok(files.length > 50, 'control: they were read')
  t.same(roomFaults(files, 'mta/', MTA_ROOMS), [])
})

t.test('control: rooms of mta may only import rooms that come before them', async (t) => {
  const names = Object.keys(MTA_ROOMS)
  for (const [i, name] of names.entries())
    t.same(
      MTA_ROOMS[name]!.mayImport.filter((other) => !names.slice(0, i).includes(other)),
      [],
      name,
    )
})

t.test('an import of an upper room of mta is found, also of a type, and a file without a room', async (t) => {
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
    ['mta/milter/x.ts', '', 'mta/milter/x.ts is in no room'],
  ]
  for (const [path, statement, fault] of wrong) t.same(faults(path, statement), [fault], statement)
  const right: [path: string, statement: string][] = [
    ['mta/outbound/x.ts', "import type { X } from '../inbound/local-delivery.ts'"],
    ['mta/inbound/checks/x.ts', "import { x } from '../../dns/resolver.ts'"],
    ['mta/reports/x.ts', "import { x } from '../../jmap/services.ts'"],
    ['mta/mta.ts', "import { x } from './outbound/queue.ts'"],
  ]
  for (const [path, statement] of right) t.same(faults(path, statement), [], statement)
})
