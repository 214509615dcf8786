import t from 'tap'
import { cycles, directionFaults, HOMES, libraryFaults } from './imports.ts'
import { importsOf, readProjectFile, sourceFiles } from './source-files.ts'

const files = sourceFiles()

/** One module that imports others. */
function planted(path: string, ...from: string[]) {
  return [{ path, text: from.map((each) => `import { x } from '${each}'\n`).join('') }]
}

t.test('every way to import is seen', async (t) => {
  const text = `
import a from 'a'
import type { B } from './b.ts'
import { c, type D } from "./c.ts"
import './e.ts'
import {
  f,
} from '../f.ts'
export { g } from './g.ts'
export * from './h.ts'
const i = await import('./i.ts')
type J = import('./j.ts').J
const k = new Worker(new URL('./k.ts', import.meta.url))
const text = 'no import'
export const l = 'not imported'
`
  t.same(
    importsOf(text).map(({ from, typeOnly }) => (typeOnly ? `type ${from}` : from)),
    ['a', 'type ./b.ts', './c.ts', './e.ts', '../f.ts', './g.ts', './h.ts', './i.ts', 'type ./j.ts', './k.ts'],
  )
})

t.test('there are source files', async (t) => {
  for (const folder of ['server/', 'storage/', 'jmap/', 'mta/', 'rest/'])
    t.ok(files.filter(({ path }) => path.startsWith(folder)).length > 10, folder)
})

t.test('imports go one way: server/base <- storage <- jmap <- { mta, rest } <- server', async (t) => {
  t.same(directionFaults(files), [])
})

t.test('an import the other way is found', async (t) => {
  const wrong: [path: string, from: string][] = [
    ['server/base/x.ts', '../http/listener.ts'],
    ['server/base/x.ts', '../../storage/ports.ts'],
    ['storage/x.ts', '../jmap/services.ts'],
    ['storage/blobs/x.ts', '../../server/main.ts'],
    ['jmap/mail/x.ts', '../../mta/mta.ts'],
    ['jmap/x.ts', '../rest/router.ts'],
    ['rest/x.ts', '../storage/ports.ts'],
    ['rest/resources/x.ts', '../../mta/mta.ts'],
    ['rest/x.ts', '../server/server.ts'],
    ['mta/x.ts', '../rest/router.ts'],
    ['mta/x.ts', '../server/http/body.ts'],
    ['server/x.ts', '../spec/support/core.ts'],
    ['server/x.ts', '../scripts/seed.ts'],
    ['elsewhere/x.ts', '../storage/ports.ts'],
  ]
  for (const [path, from] of wrong) t.equal(directionFaults(planted(path, from)).length, 1, `${path}: ${from}`)
  const right: [path: string, from: string][] = [
    ['server/base/x.ts', './ids.ts'],
    ['storage/x.ts', '../server/base/ids.ts'],
    ['jmap/x.ts', '../storage/ports.ts'],
    ['mta/x.ts', '../jmap/services.ts'],
    ['rest/x.ts', '../jmap/services.ts'],
    ['server/x.ts', '../rest/router.ts'],
    ['scripts/x.ts', '../spec/support/smtp-client.ts'],
  ]
  for (const [path, from] of right) t.same(directionFaults(planted(path, from)), [], `${path}: ${from}`)
})

t.test('each library is used in its own place only', async (t) => {
  t.same(libraryFaults(files), [])
})

t.test('a library in another place is found, and one without a place', async (t) => {
  const wrong: [path: string, from: string][] = [
    ['jmap/x.ts', 'kysely'],
    ['server/x.ts', 'better-sqlite3'],
    ['jmap/mail/x.ts', 'pg'],
    ['server/x.ts', 's3mini'],
    ['jmap/mail/x.ts', 'mailparser'],
    ['mta/x.ts', 'libmime/lib/charset.js'],
    ['rest/x.ts', 'nodemailer'],
    ['jmap/x.ts', 'nodemailer/lib/smtp-connection'],
    ['jmap/x.ts', 'express'],
    ['server/x.ts', 'express'],
    ['mta/x.ts', 'undici'],
    ['server/x.ts', 'left-pad'],
    ['server/x.ts', '@scope/package'],
    ['server/workers/x.ts', 'node-cron'],
  ]
  for (const [path, from] of wrong) t.equal(libraryFaults(planted(path, from)).length, 1, `${path}: ${from}`)
  t.same(libraryFaults(planted('storage/x.ts', 'kysely', 'pg', 'node:fs', './y.ts')), [])
})

t.test('every installed library of the program has a place', async (t) => {
  const { dependencies } = JSON.parse(readProjectFile('package.json').text) as { dependencies: object }
  t.same(
    Object.keys(dependencies).filter((library) => !(library in HOMES)),
    [],
  )
})

t.test('no modules import each other in a circle, imports of types included', async (t) => {
  t.ok(files.length > 700, 'control: they were read')
  t.same(cycles(files), [])
})

t.test('a circle is found and listed once, also a circle of types', async (t) => {
  const circle = [
    ...planted('storage/a.ts', './b.ts'),
    ...planted('storage/b.ts', './c/c.ts'),
    ...planted('storage/c/c.ts', '../a.ts', '../d.ts'),
    ...planted('storage/d.ts'),
  ]
  t.same(cycles(circle), ['storage/a.ts -> storage/b.ts -> storage/c/c.ts'])
  t.same(cycles(planted('storage/a.ts', './a.ts')), ['storage/a.ts'])
  const ofTypes = circle.map(({ path, text }) => ({ path, text: text.replaceAll('import {', 'import type {') }))
  t.same(cycles(ofTypes), cycles(circle))
})
