/** The only file that touches `process`: arguments, environment, standard streams, signals, exit code. */
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { PARENT_WATCH_MS } from './base/limits.ts'
import type { Terminal } from './cli/command.ts'
import { run } from './cli/run.ts'

const stop = Promise.withResolvers<void>()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => stop.resolve())
}
// npm passes signals to a shell that may not pass them on: a server whose npm is gone must not go on holding the ports.
if (process.env['npm_lifecycle_event'] !== undefined) {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop.resolve(), PARENT_WATCH_MS).unref()
}
// Whoever reads our output may go away before us (`posthouse --help | head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const terminal: Terminal = {
  environment: process.env,
  print: (words) => void process.stdout.write(words),
  complain: (words) => void process.stderr.write(words),
  readInput: () => text(process.stdin),
  stopAsked: stop.promise,
}

const code = await run(process.argv.slice(2), terminal)
process.exit(code)
