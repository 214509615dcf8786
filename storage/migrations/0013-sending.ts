import type { Migration } from './index.ts'

/** What an organization sends and to whom it must not; what became of it; and aliases that are switched off. */
export const sending: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('suppression')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('address', text, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('reason', text, (c) => c.notNull())
      .addColumn('source_message_id', text)
      .addColumn('smtp_response', text)
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('suppression_pk', ['account', 'address']),
    { clustered: true },
  )
  run(schema.createIndex('suppression_id').on('suppression').columns(['account', 'id']).unique())
  run(
    schema
      .createTable('sending_usage')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('period', text, (c) => c.notNull())
      .addColumn('sends', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('sending_usage_pk', ['organization', 'period']),
    { clustered: true },
  )
  run(
    schema
      .createTable('sending_tally')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('hour', int, (c) => c.notNull())
      .addColumn('recipients', int, (c) => c.notNull())
      .addColumn('bounces', int, (c) => c.notNull())
      .addColumn('complaints', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('sending_tally_pk', ['organization', 'account', 'hour']),
    { clustered: true },
  )
  run(schema.createIndex('sending_tally_hour').on('sending_tally').columns(['hour']))
  run(
    schema
      .createTable('reputation')
      .addColumn('organization', int, (c) => c.primaryKey())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('since', int, (c) => c.notNull())
      .addColumn('calm_since', int)
      .addColumn('released_at', int),
    { clustered: true },
  )
  run(schema.alterTable('address').addColumn('enabled', int, (c) => c.notNull().defaultTo(1)))
}
