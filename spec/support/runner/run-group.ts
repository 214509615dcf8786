/** Runs test files one after another in this process and writes TAP, one subtest per file. The environment variable GROUP names them. */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import root, { type Test } from 'tap'
import { reuseCostlySecrets } from './costly-secrets.ts'
import { GROUP, PROJECT } from './test-files.ts'

/** The scheme of the modules that replace `tap`. */
const SCHEME = 'tap-of:'
const EXIT_MS = 10_000

const { timeout, files } = JSON.parse(process.env[GROUP]!) as { timeout: number; files: string[] }
const tests = new Map<string, Test>()
Object.assign(globalThis, { [Symbol.for('posthouse.tests')]: tests })

// `import t from 'tap'` in a test file gives the subtest of that file, so that each assertion counts for its file.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'tap' || !tests.has(context.parentURL ?? '')) return next(specifier, context)
    return { url: SCHEME + context.parentURL, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    if (!url.startsWith(SCHEME)) return next(url, context)
    const name = JSON.stringify(url.slice(SCHEME.length))
    const source = `export default globalThis[Symbol.for('posthouse.tests')].get(${name})`
    return { format: 'module', source, shortCircuit: true }
  },
})

reuseCostlySecrets()
const openAtStart = openResources()
const leftOpen = new Map<string, string[]>()
for (const file of files) {
  const url = pathToFileURL(join(PROJECT, file)).href
  const before = openResources()
  await root.test(file, { timeout: timeout * 1000 }, async (t) => {
    tests.set(url, t)
    await import(url)
  })
  const more = openResources().filter((kind) => !before.includes(kind) && kind !== 'Timeout' && kind !== 'Immediate')
  if (more.length > 0) leftOpen.set(file, more)
}
root.end()
// A socket, a timer or a process that a test left open keeps this process alive.
setTimeout(() => {
  const open = openResources().filter((kind) => !openAtStart.includes(kind))
  const suspects = [...leftOpen].map(([file, kinds]) => `${file} (${kinds.join(', ')})`)
  process.stderr.write(
    `still open after the tests: ${open.join(', ')}; files to look at: ${(suspects.length > 0 ? suspects : files).join(', ')}\n`,
  )
  process.exit(1)
}, EXIT_MS).unref()

function openResources(): string[] {
  return [...new Set(process.getActiveResourcesInfo())]
}
