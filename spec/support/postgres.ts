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

/** Tables, columns, indexes and constraints as one text. */
async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`select md5(string_agg(line, ',' order by line)) as digest from (
    select concat(table_name, column_name, data_type, is_nullable, column_default) as line
      from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select concat(conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select concat('not valid: ', indexrelid::regclass) from pg_index where not indisvalid
    union all select tgname from pg_trigger) as lines`)
  return rows[0].digest
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
