/** Resources that all test files of a run share: one PostgreSQL, and the schema created once for each engine, which tests copy. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../server/base/clock.ts'
// @ts-expect-error plain JavaScript has no types
import { findProgram } from '../../../server/program.js'
import type { Dialect } from '../../../storage/dialect/dialect.ts'
import { openPostgres } from '../../../storage/dialect/postgres.ts'
import { openSqlite } from '../../../storage/dialect/sqlite.ts'
import { openStore } from '../../../storage/store.ts'
import { TEMPLATES } from '../engines.ts'
import { memoryBlobs } from '../memory-blobs.ts'
import { onServer, POSTGRES_URL, startPostgres } from '../postgres.ts'
import { fastFolder } from './fast-folder.ts'
import { PROGRAM_URL } from './messages.ts'
import { PROJECT } from './test-files.ts'

const TEMPLATE = 'posthouse_template'

export interface Engines {
  /** Environment variables with which tests find them. */
  readonly environment: { readonly [name: string]: string }
  stop(): Promise<void>
}

export async function startEngines(): Promise<Engines> {
  const folder = fastFolder()
  const temporary = { TMPDIR: folder }
  let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined
  const stop = async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    postgres = await startPostgres(temporary)
    await onServer(postgres.url, `create database ${TEMPLATE}`)
    await makeSchema(openPostgres({ url: `${postgres.url}/${TEMPLATE}` }))
    const file = join(folder, 'template.db')
    await makeSchema(openSqlite({ file }))
    const environment = {
      ...temporary,
      [POSTGRES_URL]: postgres.url,
      [TEMPLATES.postgres]: TEMPLATE,
      [TEMPLATES.sqlite]: file,
      [PROGRAM_URL]: findProgram() as string,
      // All processes load the same modules: half of their start is compiling them.
      NODE_COMPILE_CACHE: join(PROJECT, 'node_modules/.cache/compiled'),
    }
    return { environment, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function makeSchema(dialect: Dialect): Promise<void> {
  const blobs = memoryBlobs(() => systemClock.now())
  await (await openStore({ dialect, blobs, clock: systemClock })).close()
}
