/**
 * A real PostgreSQL for the tests, from npm: one server per test process group, found by the environment variable, or started here.
 * Each test has its own fresh database.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'

export const POSTGRES_URL = 'SPEC_POSTGRES'

/**
 * Starts a server in a separate process.
 * @param environment variables of that process, beside those of this one
 * @returns its URL, without a database, and a function that stops it
 */
export async function startPostgres(environment: object = {}): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = fork(join(import.meta.dirname, 'postgres-server.ts'), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(server, 'exit')
  const failed = ended.then(([code, signal]) => {
    throw new Error(`PostgreSQL for the tests did not start: ${signal ?? `exit code ${code}`}`)
  })
  const [{ url }] = (await Promise.race([once(server, 'message'), failed])) as [{ url: string }]
  failed.catch(() => {})
  // A test file that forgets to stop the server must still end: without its parent the server stops by itself.
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
/** Databases with the schema of the template and without rows. Creating one takes 100 times the CPU of emptying one. */
const empty: Reusable[] = []
let templateSchema: string | undefined

interface Reusable {
  readonly name: string
  /** One session, which stays open: a new one would have to read the catalogs of all tables first. It does not keep the process alive. */
  readonly session: pg.Pool
}

export interface FreshDatabase {
  readonly url: string
  /** Returns the database for reuse. */
  drop(): Promise<void>
}

/**
 * A database that no other test uses.
 * @param template database whose schema it has; without it the new one is empty
 */
export async function freshDatabase(template?: string): Promise<FreshDatabase> {
  const given = process.env[POSTGRES_URL]
  own ??= given ? Promise.resolve({ url: given, stop: async () => {} }) : startPostgres()
  const { url } = await own
  if (template === undefined) {
    const name = `test_${process.pid}_${++count}`
    await onServer(url, `create database ${name}`)
    return { url: `${url}/${name}`, drop: () => dropDatabase(url, name) }
  }
  const database = empty.pop() ?? (await copyTemplate(url, template))
  const { name, session } = database
  return {
    url: `${url}/${name}`,
    async drop() {
      // A test may have ended the session, which is noticed at its next use.
      const isEmptied = await emptyTables(session).catch(() => emptyTables(session))
      if (isEmptied) {
        empty.push(database)
        return
      }
      await session.end()
      await dropDatabase(url, name)
    },
  }
}

async function copyTemplate(url: string, template: string): Promise<Reusable> {
  const name = `test_${process.pid}_${++count}`
  await onServer(url, `create database ${name} template ${template} strategy file_copy`)
  const session = new pg.Pool({
    connectionString: `${url}/${name}`,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  session.on('error', () => {})
  templateSchema ??= (await session.query<{ state: string }>(SCHEMA_STATE)).rows[0]!.state
  return { name, session }
}

async function dropDatabase(url: string, name: string): Promise<void> {
  await onServer(url, `drop database if exists ${name} with (force)`)
}

/** Octets up to which a database is reused: deleted rows slow down later tests. */
const REUSED_MAX_BYTES = 16 * 1024 * 1024

const END_OTHER_SESSIONS =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'

/** Catalogs of tables, columns, defaults, indexes, constraints and triggers, with the number of the object that a row is about. */
const CATALOGS = {
  pg_class: 'oid',
  pg_attribute: 'attrelid',
  pg_attrdef: 'adrelid',
  pg_index: 'indexrelid',
  pg_constraint: 'oid',
  pg_trigger: 'oid',
}
/** FirstNormalObjectId: the numbers below are PostgreSQL's own. */
const FIRST_OBJECT = 16_384

/**
 * The state of the schema: how many rows of the catalogs it has, and the newest transaction that wrote one. Copies of the template have
 * the same, until a statement changes the schema. Reading the definitions themselves costs ten times as much as emptying the tables.
 */
const SCHEMA_STATE = `select concat_ws(' ', ${Object.entries(CATALOGS)
  .map(
    ([name, key]) =>
      `(select concat(count(*), '/', max(xmin::text::bigint)) from ${name} where ${key} >= ${FIRST_OBJECT})`,
  )
  .join(', ')}) as state`

/** A file without octets has no rows. `size`: with what is stored beside the rows because it is long. */
const WRITTEN_TABLES = `select quote_ident(relname) as name,
  (pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0))::int as size
  from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`

/** false: the database cannot be reused, because a test changed its schema or made it large. */
async function emptyTables(session: pg.Pool): Promise<boolean> {
  // pg's types know one statement.
  const results: unknown = await session.query(`${END_OTHER_SESSIONS}; ${SCHEMA_STATE}; ${WRITTEN_TABLES}`)
  const [, schema, { rows: tables }] = results as [
    unknown,
    pg.QueryResult<{ state: string }>,
    pg.QueryResult<{ name: string; size: number }>,
  ]
  if (schema.rows[0]!.state !== templateSchema) return false
  if (tables.reduce((sum, { size }) => sum + size, 0) > REUSED_MAX_BYTES) return false
  const names = tables.map(({ name }) => name).filter((name) => name !== 'migration')
  await session.query(names.map((name) => `delete from ${name}`).join('; '))
  return true
}

/** For the end of a test file that ran without a shared server. */
export async function stopOwnPostgres(): Promise<void> {
  // The shared server stays for later files in this process.
  if (process.env[POSTGRES_URL]) return
  await Promise.all(empty.splice(0).map(({ session }) => session.end()))
  if (own) await (await own).stop()
  own = undefined
}

export async function onServer(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}
