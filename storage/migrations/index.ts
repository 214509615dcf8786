/**
 * Migrations: a static numbered list, forward only. Each runs in one transaction on both engines (SQLite and PostgreSQL both have
 * transactional DDL); a data folder written by a newer server is refused in words.
 */
import type { SchemaModule } from 'kysely'
import { Failure } from '../../server/base/errors.ts'
import type { Connection, Dialect, Writer } from '../dialect/dialect.ts'
import { init } from './0001-init.ts'
import { push } from './0002-push.ts'
import { uploads } from './0003-uploads.ts'
import { searchInOrder } from './0004-search-in-order.ts'
import { submissionReports } from './0005-submission-reports.ts'
import { threadRefs } from './0006-thread-refs.ts'
import { delivery } from './0010-delivery.ts'
import { sieve } from './0011-sieve.ts'
import { spam } from './0012-spam.ts'
import { sending } from './0013-sending.ts'
import { outgoing } from './0014-outgoing.ts'
import { domainChecks } from './0016-domain-checks.ts'
import { complaints } from './0017-complaints.ts'
import { stsPolicies } from './0018-sts-policies.ts'
import { ownerNotices } from './0019-owner-notices.ts'
import { webhooks } from './0020-webhooks.ts'
import { idempotency } from './0022-idempotency.ts'
import { sentMessages } from './0024-sent-messages.ts'

export interface MigrationContext {
  readonly schema: SchemaModule
  readonly column: Dialect['column']
  readonly engine: Dialect['kind']
  /** Runs one statement. `clustered`: the table is its primary key (WITHOUT ROWID on SQLite). */
  run(statement: { compile(): { sql: string } }, options?: { clustered?: boolean }): void
  /** Runs engine-specific text, for search tables. */
  raw(sql: string): void
}

export type Migration = (context: MigrationContext) => void

const MIGRATIONS: readonly [number: number, name: string, up: Migration][] = [
  [1, 'init', init],
  [2, 'push', push],
  [3, 'uploads', uploads],
  [4, 'search-in-order', searchInOrder],
  [5, 'submission-reports', submissionReports],
  [6, 'thread-refs', threadRefs],
  [10, 'delivery', delivery],
  [11, 'sieve', sieve],
  [12, 'spam', spam],
  [13, 'sending', sending],
  [14, 'outgoing', outgoing],
  [16, 'domain-checks', domainChecks],
  [17, 'complaints', complaints],
  [18, 'sts-policies', stsPolicies],
  [19, 'owner-notices', ownerNotices],
  [20, 'webhooks', webhooks],
  [22, 'idempotency', idempotency],
  [24, 'sent-messages', sentMessages],
]

const NEWEST = MIGRATIONS.at(-1)![0]

/** Brings a database to the newest schema. Safe to call from several nodes at once. */
export async function migrate(dialect: Dialect, connection: Writer): Promise<void> {
  await connection.begin()
  try {
    await connection.exec(dialect.migrationLock)
    await connection.exec('create table if not exists migration (number integer primary key, name text not null)')
    const present = await schemaOf(connection)
    refuseNewer(present)
    for (const [number, name, up] of MIGRATIONS) {
      if (number <= present) continue
      for (const statement of statementsOf(dialect, up)) await connection.exec(statement)
      await connection.exec(`insert into migration (number, name) values (${number}, '${name}')`)
    }
    await connection.commit()
  } catch (error) {
    await connection.rollback()
    throw error
  }
}

/** For a process that only reads, and so cannot migrate. */
export async function requireNewestSchema(dialect: Dialect): Promise<void> {
  const present = await dialect.withReader(schemaOf)
  refuseNewer(present)
  if (present < NEWEST)
    throw new Failure(
      'configuration',
      `the data has schema ${present}, this program needs schema ${NEWEST}: start the server once, which migrates it`,
    )
}

async function schemaOf(connection: Connection): Promise<number> {
  const rows = (await connection.raw('select max(number) as newest from migration')) as { newest: number | null }[]
  return Number(rows[0]?.newest ?? 0)
}

function refuseNewer(present: number): void {
  if (present > NEWEST)
    throw new Failure(
      'configuration',
      `the data has schema ${present}, this program knows schemas up to ${NEWEST}: use a newer Posthouse`,
    )
}

function statementsOf(dialect: Dialect, up: Migration): string[] {
  const statements: string[] = []
  up({
    schema: dialect.builder.schema,
    column: dialect.column,
    engine: dialect.kind,
    run: (statement, options) => {
      const { sql } = statement.compile()
      statements.push(options?.clustered ? sql + dialect.clusteredSuffix : sql)
    },
    raw: (sql) => statements.push(sql),
  })
  return statements
}
