#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read: it tells their users which version is needed.
import module from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { findNodeFault } from './node-version.js'
import { findProgram } from './program.js'

const fault = findNodeFault(process.versions.node)
if (fault !== null) {
  process.stderr.write(fault)
  process.exitCode = 1
} else {
  // The cache shortens the start. It is in node_modules, where only users may write who may change the program. Without write
  // access the start takes longer.
  const cache = fileURLToPath(new URL('../node_modules/.cache/posthouse', import.meta.url))
  module.enableCompileCache?.(cache)
  // Threads take it from here, before they load their first file.
  process.env.NODE_COMPILE_CACHE ??= cache
  await import(findProgram())
}
