/**
 * A real PostgreSQL for the tests, from npm: one server per test process group, found by the environment variable, or started here.
 * Each database is made fresh and is the test's own.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'

export const POSTGRES_URL = 'POSTHOUSE_TEST_POSTGRES'

/** Starts a server in a process of its own. Returns its URL, without a database, and a function that stops it. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = fork(join(import.meta.dirname, 'postgres-server.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(server, 'exit')
  const failed = ended.then(([code, signal]) => {
    throw new Error(`PostgreSQL for the tests did not start: ${signal ?? `exit code ${code}`}`)
  })
  const [{ url }] = (await Promise.race([once(server, 'message'), failed])) as [{ url: string }]
  failed.catch(() => {})
  // A test file that forgets to stop it must not be kept alive by it: without its parent the server stops by itself.
  server.unref()
  server.channel?.unref()
  return {
    url,
    async stop() {
      server.ref()
      if (server.connected) server.send('stop')
      await ended
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
