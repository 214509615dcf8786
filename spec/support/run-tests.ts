/** The whole suite: one PostgreSQL for all test files, then tap with the arguments given. `npm test` ends here. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { POSTGRES_URL, startPostgres } from './postgres.ts'

const postgres = await startPostgres()
const tap = spawn('tap', ['run', '--jobs', String(availableParallelism()), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: {
    ...process.env,
    [POSTGRES_URL]: postgres.url,
    // Every test file is a process that reads the same modules: half of its start is compiling them.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/compiled'),
  },
})
const code = await new Promise<number>((resolve) => tap.on('close', (exit) => resolve(exit ?? 1)))
await postgres.stop()
process.exitCode = code
