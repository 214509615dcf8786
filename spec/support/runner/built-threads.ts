/**
 * Threads that tests start run the built program (decision 0058), as those of a server do. Loading the sources would cost each thread a
 * second of CPU.
 */
import { existsSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import type { Worker as WorkerType } from 'node:worker_threads'
// @ts-expect-error plain JavaScript has no types
import { MAIN } from '../../../server/program.js'

/** The first file of each kind of thread, as server/build-program.js knows it. */
const THREAD = /-thread\.ts$/

/** @param main URL of the first file of the program; of its source: threads run the sources */
export function startBuiltThreads(main: string): void {
  if (main.endsWith(MAIN)) return
  const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof WorkerType }
  const built = (file: string | URL) => {
    if (!(file instanceof URL) || !THREAD.test(file.href)) return file
    const url = new URL(basename(file.href).replace(THREAD, '-thread.js'), main)
    return existsSync(url) ? url : file
  }
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(...[file, options]: ConstructorParameters<typeof Worker>) {
      super(built(file), options)
    }
  }
  syncBuiltinESMExports()
}
