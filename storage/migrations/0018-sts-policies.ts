import type { Migration } from './index.ts'

/** MTA-STS policies of the domains that mail goes to, until they run out. */
export const stsPolicies: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('sts_policy')
      .addColumn('domain', text, (c) => c.notNull())
      .addColumn('id', text, (c) => c.notNull())
      .addColumn('policy', text, (c) => c.notNull())
      .addColumn('kept_until', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('sts_policy_pk', ['domain']),
    { clustered: true },
  )
  run(schema.createIndex('sts_policy_until').on('sts_policy').columns(['kept_until']))
}
