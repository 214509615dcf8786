import type { Migration } from './index.ts'

/** What happened, for webhooks to tell; what delivery decided about each email, what it remembers, and drafts it owes. */
export const delivery: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('event')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('data', text, (c) => c.notNull())
      .addColumn('at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('event_pk', ['organization', 'account', 'number']),
    { clustered: true },
  )
  run(schema.createIndex('event_at').on('event').columns(['at', 'organization', 'account', 'number']))
  run(
    schema
      .createTable('email_delivery')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('email', int, (c) => c.notNull())
      .addColumn('verdict', text)
      .addColumn('trace', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('email_delivery_pk', ['account', 'email']),
    { clustered: true },
  )
  run(
    schema
      .createTable('delivery_memory')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('key', text, (c) => c.notNull())
      .addColumn('until', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('delivery_memory_pk', ['account', 'kind', 'key']),
    { clustered: true },
  )
  run(schema.createIndex('delivery_memory_until').on('delivery_memory').columns(['until']))
  run(
    schema
      .createTable('draft_request')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('email', int, (c) => c.notNull())
      .addColumn('data', text, (c) => c.notNull())
      .addColumn('due_at', int, (c) => c.notNull())
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('lease', text)
      .addColumn('lease_until', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('draft_request_pk', ['account', 'id']),
    { clustered: true },
  )
  run(schema.createIndex('draft_request_due').on('draft_request').columns(['due_at', 'account', 'id']))
}
