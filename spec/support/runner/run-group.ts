/** Runs test files one after another in this process and writes TAP, one subtest per file. It asks the runner for each file. */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { startBuiltThreads } from './built-threads.ts'
import { reuseCostlySecrets } from './costly-secrets.ts'
import { type Ask, cpuMilliseconds, isGive, PROGRAM_URL, TIMEOUT } from './messages.ts'
import { PROJECT } from './test-files.ts'

/** The scheme of the modules that replace `tap`. */
const SCHEME = 'tap-of:'
const ERROR_DOMAIN = new URL('./error-domain.ts', import.meta.url).href
const EXIT_MS = 10_000
/** After its time a file may still print why it failed. */
const GRACE_MS = 1_000

const timeoutMs = Number(process.env[TIMEOUT]) * 1000
const tests = new Map<string, Test>()
Object.assign(globalThis, { [Symbol.for('posthouse.tests')]: tests })

// `import t from 'tap'` in a test file gives the subtest of that file, so that each assertion counts for its file.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'async-hook-domain') return { url: ERROR_DOMAIN, shortCircuit: true }
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

const { default: root } = await import('tap')
reuseCostlySecrets()
startBuiltThreads(process.env[PROGRAM_URL]!)
const openAtStart = openResources()
const leftOpen = new Map<string, string[]>()
for (let file = await nextFile(); file !== null; file = await nextFile()) {
  const before = openResources()
  // What a file does after its time would disturb the next ones: they get another process.
  if (!(await runFile(file))) process.exit(1)
  const more = openResources().filter((kind) => !before.includes(kind) && kind !== 'Timeout' && kind !== 'Immediate')
  if (more.length > 0) leftOpen.set(file, more)
}
root.end()
// A socket, a timer or a process that a test left open keeps this process alive.
setTimeout(() => {
  const open = openResources().filter((kind) => !openAtStart.includes(kind))
  const suspects = [...leftOpen].map(([file, kinds]) => `${file} (${kinds.join(', ')})`)
  process.stderr.write(`still open after the tests: ${open.join(', ')}; files to look at: ${suspects.join(', ')}\n`)
  process.exit(1)
}, EXIT_MS).unref()

async function nextFile(): Promise<string | null> {
  const { promise: given, resolve } = Promise.withResolvers<string | null>()
  const take = (message: unknown) => {
    if (isGive(message)) resolve(message.file)
  }
  process.on('message', take)
  // Only while it waits: the channel must not keep a process alive whose tests have ended.
  process.channel!.ref()
  process.send!({ cpuMilliseconds: cpuMilliseconds() } satisfies Ask)
  const file = await given
  process.off('message', take)
  process.channel!.unref()
  return file
}

/** @returns whether it ended in time */
async function runFile(file: string): Promise<boolean> {
  const url = pathToFileURL(join(PROJECT, file)).href
  const { promise: given, resolve: giveUp } = Promise.withResolvers<void>()
  let isOverdue = false
  const watch = () => {
    isOverdue = true
    setTimeout(giveUp, GRACE_MS)
  }
  // It runs before tap's own timer of the same time, which is set after it.
  const timer = timeoutMs > 0 ? setTimeout(watch, timeoutMs).unref() : undefined
  const ended = root.test(file, { timeout: timeoutMs }, async (t) => {
    tests.set(url, t)
    await import(url)
  })
  await Promise.race([ended, given])
  clearTimeout(timer)
  return !isOverdue
}

function openResources(): string[] {
  return [...new Set(process.getActiveResourcesInfo())]
}
