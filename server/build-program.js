/** Joins the sources of the program to the few files that run (program.js): one for main.ts, one for each kind of thread, and what they share. */
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { BUILT, listSources, MAIN, PROJECT, stateOfSources } from './program.js'

/** The first file of each kind of thread. */
const THREAD = /-thread\.ts$/
/** URLs of sources. A thread starts from its own built file; all other URLs name files beside the source, which stay where they are. */
const OWN_URL = /new URL\('\.\/([\w-]+-thread)\.ts', import\.meta\.url\)|import\.meta\.url/g
const UNFINISHED = 'unfinished-'

const urlsOfSources = {
  name: 'urls of sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = urlText(`../../../../${relative(PROJECT, path)}`)
      const contents = readFileSync(path, 'utf8').replaceAll(OWN_URL, (_, thread) =>
        thread === undefined ? `${source}.href` : urlText(`./${thread}.js`),
      )
      return { contents, loader: 'ts' }
    })
  },
}

const urlText = (path) => `new URL(${JSON.stringify(path)}, import.meta.url)`

const state = stateOfSources()
await mkdir(BUILT, { recursive: true })
const folder = await mkdtemp(join(BUILT, UNFINISHED))
try {
  await writeProgram()
  // It fails if another process has built it meanwhile.
  await rename(folder, join(BUILT, state))
} finally {
  await rm(folder, { recursive: true, force: true })
}
await removeOld()

async function writeProgram() {
  const { outputFiles } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [MAIN, ...listSources().filter((path) => THREAD.test(path))],
    outdir: folder,
    // All in one folder: `urlsOfSources` counts on it.
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    packages: 'external',
    plugins: [urlsOfSources],
    write: false,
  })
  for (const { path, text } of outputFiles) await writeFile(path, inAscii(text))
}

/** Regular expressions are the only places that still have other characters. One such character doubles the memory of its whole file. */
function inAscii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The last one that was built before this may be running, and load some of its files only when they are needed. */
async function removeOld() {
  const names = (await readdir(BUILT)).filter((name) => name !== state && !name.startsWith(UNFINISHED))
  const folders = await Promise.all(
    names.map(async (name) => ({ name, time: (await stat(join(BUILT, name))).mtimeMs })),
  )
  const [, ...old] = folders.sort((a, b) => b.time - a.time)
  for (const { name } of old) await rm(join(BUILT, name), { recursive: true, force: true })
}
