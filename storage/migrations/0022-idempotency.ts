import type { Migration } from './index.ts'

/** Requests that carry an Idempotency-Key, and what each of them has done so far. */
export const idempotency: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('idempotency')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('fingerprint', text, (c) => c.notNull())
      .addColumn('begun_at', int, (c) => c.notNull())
      .addColumn('expires_at', int, (c) => c.notNull())
      .addColumn('lease', text)
      .addColumn('lease_until', int, (c) => c.notNull())
      .addColumn('answer', text)
      .addPrimaryKeyConstraint('idempotency_pk', ['organization', 'name']),
    { clustered: true },
  )
  run(schema.createIndex('idempotency_expires').on('idempotency').columns(['expires_at']))
  run(
    schema
      .createTable('idempotency_step')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('round', int, (c) => c.notNull())
      .addColumn('step', int, (c) => c.notNull())
      .addColumn('past', text)
      .addColumn('outcome', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('idempotency_step_pk', ['organization', 'name', 'round', 'step']),
    { clustered: true },
  )
}
