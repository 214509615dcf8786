/** The only file that touches `process`: arguments, environment, standard streams, signals, exit code. */
import process from 'node:process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { PARENT_WATCH_MS } from './base/limits.ts'
import type { Terminal } from './cli/command.ts'
import { run } from './cli/run.ts'

const stop = Promise.withResolvers<void>()
let handlesSignals = false

/** A command that does not ask for it has nothing to put in order: a signal ends it at once. */
function stopRequested(): Promise<void> {
  if (!handlesSignals)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.resolve())
  handlesSignals = true
  return stop.promise
}

// npm passes signals to a shell that may not pass them on. The server stops when its npm process has ended, so that it does not hold
// the ports.
if (process.env['npm_lifecycle_event'] !== undefined) {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop.resolve(), PARENT_WATCH_MS).unref()
}
// The reader of the output may end first (`posthouse --help | head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const terminal: Terminal = {
  environment: process.env,
  print: (output) => void process.stdout.write(output),
  printError: (output) => void process.stderr.write(output),
  isInteractive: process.stderr.isTTY === true,
  readInput: () => text(process.stdin),
  ask,
  get stopRequested() {
    return stopRequested()
  },
  kill: () => process.kill(process.pid, 'SIGKILL'),
}

function ask(question: string): Promise<string | null> {
  if (process.stdin.isTTY !== true) return Promise.resolve(null)
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    reader.question(question, resolve)
    reader.once('close', () => resolve(null))
  }).finally(() => reader.close()) as Promise<string | null>
}

const code = await run(process.argv.slice(2), terminal)
process.exit(code)
