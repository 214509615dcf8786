/**
 * The whole suite: one PostgreSQL for all test files, the schema made once for each engine, then tap with the arguments given. `npm
 * test` ends here.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../server/base/clock.ts'
import type { Dialect } from '../../storage/dialect/dialect.ts'
import { openPostgres } from '../../storage/dialect/postgres.ts'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import { openStore } from '../../storage/store.ts'
import { TEMPLATES } from './engines.ts'
import { memoryBlobs } from './memory-blobs.ts'
import { onServer, POSTGRES_URL, startPostgres } from './postgres.ts'

const TEMPLATE = 'posthouse_template'

async function makeSchema(dialect: Dialect): Promise<void> {
  const blobs = memoryBlobs(() => systemClock.now())
  await (await openStore({ dialect, blobs, clock: systemClock })).close()
}

const postgres = await startPostgres()
await onServer(postgres.url, `create database ${TEMPLATE}`)
await makeSchema(openPostgres({ url: `${postgres.url}/${TEMPLATE}` }))
const folder = mkdtempSync(join(tmpdir(), 'posthouse-suite-'))
const file = join(folder, 'template.db')
await makeSchema(openSqlite({ file }))
const tap = spawn('tap', ['run', '--jobs', String(availableParallelism()), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: {
    ...process.env,
    [POSTGRES_URL]: postgres.url,
    [TEMPLATES.postgres]: TEMPLATE,
    [TEMPLATES.sqlite]: file,
    // Every test file is a process that reads the same modules: half of its start is compiling them.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/compiled'),
    // Who loaded what is asked for coverage only, and takes a quarter of a second of each.
    _TAPJS_PROCESSINFO_EXCLUDE_: '/./',
  },
})
const code = await new Promise<number>((resolve) => tap.on('close', (exit) => resolve(exit ?? 1)))
await postgres.stop()
rmSync(folder, { recursive: true, force: true })
process.exitCode = code
