/**
 * A real PostgreSQL for the tests, from npm: one server per test process group, found by the environment variable, or started here.
 * Each test has its own fresh database.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'

export const POSTGRES_URL = 'SPEC_POSTGRES'

/** Starts a server in a separate process. Returns its URL, without a database, and a function that stops it. */
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
const empty: string[] = []
let templateSchema: string | undefined

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
  const used = template === undefined ? undefined : empty.pop()
  const name = used ?? `test_${process.pid}_${++count}`
  const copied = template === undefined ? '' : ` template ${template} strategy file_copy`
  if (used === undefined) await onServer(url, `create database ${name}${copied}`)
  if (template !== undefined) templateSchema ??= await onDatabase(`${url}/${name}`, schemaOf)
  return {
    url: `${url}/${name}`,
    async drop() {
      const isEmptied = template !== undefined && (await onDatabase(`${url}/${name}`, emptyTables))
      if (isEmptied) empty.push(name)
      else await onServer(url, `drop database if exists ${name} with (force)`)
    },
  }
}

/** Octets up to which a database is reused: deleted rows slow down later tests. */
const REUSED_MAX_BYTES = 32 * 1024 * 1024

/** false: the database cannot be reused, because a test changed its schema or made it large. */
async function emptyTables(client: pg.Client): Promise<boolean> {
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  const { rows } = await client.query('select pg_database_size(current_database())::int as size')
  if (rows[0].size > REUSED_MAX_BYTES || (await schemaOf(client)) !== templateSchema) return false
  const tables = await client.query(
    "select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  )
  const names = tables.rows.map(({ name }) => name as string).filter((name) => name !== 'migration')
  await client.query(names.map((name) => `delete from ${name}`).join('; '))
  return true
}

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
async function schemaOf(client: pg.Client): Promise<string> {
  const states = Object.entries(CATALOGS).map(
    ([name, key]) =>
      `(select concat(count(*), '/', max(xmin::text::bigint)) from ${name} where ${key} >= ${FIRST_OBJECT})`,
  )
  const { rows } = await client.query(`select concat_ws(' ', ${states.join(', ')}) as state`)
  return rows[0].state
}

/** For the end of a test file that ran without a shared server. */
export async function stopOwnPostgres(): Promise<void> {
  // The shared server stays for later files in this process.
  if (process.env[POSTGRES_URL]) return
  if (own) await (await own).stop()
  own = undefined
  empty.length = 0
}

export function onServer(url: string, sql: string): Promise<unknown> {
  return onDatabase(`${url}/postgres`, (client) => client.query(sql))
}

async function onDatabase<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
