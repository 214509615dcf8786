/** Brings a database to the newest schema. Migrations only go forward; all that are missing run in one transaction on both engines. */
import { createHash } from 'node:crypto'
import { Failure } from '../../server/base/errors.ts'
import type { Connection, Dialect, Writer } from '../dialect/dialect.ts'
import * as declared from './index.ts'
import { type Migration, statementsOf } from './migration.ts'

/** In the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = Object.values(declared).toSorted((a, b) => a.number - b.number)

/**
 * Several nodes may call it at once.
 * @throws Failure `configuration`: another version made the data
 */
export async function migrate(dialect: Dialect, connection: Writer, migrations = MIGRATIONS): Promise<void> {
  await connection.begin()
  try {
    await connection.exec(dialect.migrationLock)
    await connection.exec('create table if not exists migration (number integer primary key, name text not null)')
    const present = await presentSchema(connection, migrations)
    for (const migration of migrations) {
      if (migration.number <= present) continue
      for (const statement of statementsOf(migration, dialect)) await connection.exec(statement)
      await connection.exec(
        `insert into migration (number, name) values (${migration.number}, '${storedName(migration)}')`,
      )
    }
    await connection.commit()
  } catch (error) {
    await connection.rollback()
    throw error
  }
}

/** For a process that only reads, and therefore cannot migrate. */
export async function requireNewestSchema(dialect: Dialect): Promise<void> {
  const present = await dialect.withReader((connection) => presentSchema(connection, MIGRATIONS))
  const newest = newestOf(MIGRATIONS)
  if (present < newest)
    throw new Failure(
      'configuration',
      `the data has schema ${present}, this program needs schema ${newest}: start the server once, which migrates it`,
    )
}

/** Number of the last migration that has run; 0: none. */
async function presentSchema(connection: Connection, migrations: readonly Migration[]): Promise<number> {
  const rows = (await connection.raw('select number, name from migration order by number')) as Pick<
    Migration,
    'number' | 'name'
  >[]
  const newest = newestOf(migrations)
  const known = new Map(migrations.map((migration) => [migration.number, storedName(migration)]))
  // Development versions had other migrations under the same numbers, and under the same names.
  if (rows.some(({ number, name }) => number <= newest && known.get(number) !== name))
    throw new Failure(
      'configuration',
      'the data was made by a development version before 0.1.0 and cannot be opened: use a new data folder or database',
    )
  const present = rows.at(-1)?.number ?? 0
  if (present > newest)
    throw new Failure(
      'configuration',
      `the data has schema ${present}, this program knows schemas up to ${newest}: use a newer Posthouse`,
    )
  return present
}

/** The name, and a digest of the statements: a migration that has changed since is another one. */
function storedName({ name, statements, engineStatements }: Migration): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([statements, engineStatements ?? null]))
    .digest('hex')
  return `${name} ${digest.slice(0, 16)}`
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)!.number
}
