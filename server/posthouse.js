#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read, so that they can be told what is missing.
import module from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'

const NEEDED = [22, 19]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `posthouse: Node ${NEEDED.join('.')} or newer is needed; this is ${process.versions.node}.\n` +
      'In a checkout, `npm ci` brings the right one along: `npm start` and `npx posthouse` use it.\n',
  )
  process.exitCode = 1
} else {
  // A flood of clients leaves little behind (promise S7): the heap may grow to one and a half times what was alive, not to four
  // times, and the part for what is new to 32 MB in each thread but the first, which has its 128 already.
  v8.setFlagsFromString('--heap-growing-percent=50')
  v8.setFlagsFromString('--max-semi-space-size=16')
  // Halves the time to start. Beside the packages, where only who may change the program may write; if nobody may, it is slower.
  module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/posthouse', import.meta.url)))
  await import('./main.ts')
}
