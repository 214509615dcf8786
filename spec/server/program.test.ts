/** What `posthouse` runs: the program is joined to a few files before its first start, and again after a change. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import t, { type Test } from 'tap'
// @ts-expect-error plain JavaScript has no types
import { listSources, PROJECT } from '../../server/program.js'

const ENTRY = ['posthouse.js', 'node-version.js', 'program.js', 'build-program.js']
const FILES = {
  'package.json': '{"type":"module"}',
  'package-lock.json': '{}',
  'server/main.ts': `
    import { readFileSync } from 'node:fs'
    import { Worker } from 'node:worker_threads'
    import { ranFrom } from '../jmap/ran-from.ts'
    const words: string = readFileSync(new URL('words.txt', import.meta.url), 'utf8')
    const worker = new Worker(new URL('./echo-thread.ts', import.meta.url))
    worker.on('message', (thread: string) => console.log([words, ranFrom(), thread].join()))`,
  'server/echo-thread.ts': `
    import { parentPort } from 'node:worker_threads'
    import { ranFrom } from '../jmap/ran-from.ts'
    parentPort!.postMessage(ranFrom())`,
  'server/words.txt': 'hello',
  // The last caller is the first file.
  'jmap/ran-from.ts': `
    export function ranFrom(): string { return /(\\w+\\.[jt]s):\\d+:\\d+\\)?$/m.exec(new Error().stack!.split('\\n').at(2)!)![1]! }`,
}

/** A program of two threads, with the entry of the real one. */
function programOf(t: Test): string {
  const project = t.testdir({ mta: {}, rest: {}, storage: {}, node_modules: {} })
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  for (const name of ENTRY) cpSync(join(PROJECT, 'server', name), join(project, 'server', name))
  for (const name of ['esbuild', '@esbuild'])
    symlinkSync(join(PROJECT, 'node_modules', name), join(project, 'node_modules', name))
  return project
}

const run = (project: string) =>
  execFileSync(process.execPath, [join(project, 'server/posthouse.js')], { encoding: 'utf8' }).trim()

t.test(
  'the program is built before its first start, each thread runs its own built file, and the other files are those of the sources',
  async (t) => {
    const project = programOf(t)
    t.equal(run(project), 'hello,main.js,thread.js')
  },
)

t.test('after a change of a source the changed program runs', async (t) => {
  const project = programOf(t)
  run(project)
  writeFileSync(join(project, 'jmap/ran-from.ts'), `export const ranFrom = () => 'changed'`)
  t.equal(run(project), 'hello,changed,changed')
})

t.test('the sources run where nothing can be built', async (t) => {
  const project = programOf(t)
  writeFileSync(join(project, 'node_modules/.cache'), 'a file in place of the folder')
  t.equal(run(project), 'hello,main.ts,thread.ts')
})

t.test('a copy without the list of packages runs, and is built too', async (t) => {
  const project = programOf(t)
  rmSync(join(project, 'package-lock.json'))
  t.equal(run(project), 'hello,main.js,thread.js')
})

t.test('all threads are started from files whose names the builder knows', async (t) => {
  const starts = (listSources() as string[]).flatMap((path) =>
    [...readFileSync(join(PROJECT, path), 'utf8').matchAll(/new Worker\([^,)]*[,)]/g)].map(([start]) => start),
  )
  t.ok(starts.length >= 6)
  for (const start of starts) t.match(start, /^new Worker\(new URL\('\.\/[\w-]+-thread\.ts',$/)
})
