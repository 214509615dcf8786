import type { Migration } from './index.ts'

/** When each domain's DNS records are checked next; those that are there already are due at once. */
export const domainChecks: Migration = ({ schema, column, run, raw }) => {
  const { int, text } = column
  run(
    schema
      .createTable('domain_check')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('domain', int, (c) => c.notNull())
      .addColumn('due_at', int, (c) => c.notNull())
      .addColumn('lease', text)
      .addColumn('lease_until', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('domain_check_pk', ['account', 'domain']),
    { clustered: true },
  )
  run(schema.createIndex('domain_check_due').on('domain_check').columns(['due_at', 'account', 'domain']))
  raw('insert into domain_check (account, domain, due_at, lease_until) select account, object, 0, 0 from domain_name')
}
