#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read: it tells their users which version is needed.
import module from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'
import { findNodeFault } from './node-version.js'

const fault = findNodeFault(process.versions.node)
if (fault !== null) {
  process.stderr.write(fault)
  process.exitCode = 1
} else {
  // Memory that a flood of clients needed is returned (promise S7): the heap may grow to one and a half times the live size, not to
  // four times, and the space for new objects to 32 MB in each thread except the first, which has its 128 MB already.
  v8.setFlagsFromString('--heap-growing-percent=50')
  v8.setFlagsFromString('--max-semi-space-size=16')
  // The cache halves the time to start. It is in node_modules, where only users may write who may change the program. Without write
  // access the start takes longer.
  module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/posthouse', import.meta.url)))
  await import('./main.ts')
}
