import type { Migration } from './index.ts'

/** Push subscriptions (RFC 8620 7.2), which are also the queue of what is pushed to them. */
export const push: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('push_subscription')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('credential', text, (c) => c.notNull())
      .addColumn('stamp', text)
      .addColumn('device', text, (c) => c.notNull())
      .addColumn('url', text, (c) => c.notNull())
      .addColumn('p256dh', text)
      .addColumn('auth', text)
      .addColumn('code', text, (c) => c.notNull())
      .addColumn('stage', text, (c) => c.notNull())
      .addColumn('types', text)
      .addColumn('expires_at', int)
      .addColumn('delivered', text, (c) => c.notNull())
      .addColumn('due_at', int, (c) => c.notNull())
      .addColumn('next_at', int, (c) => c.notNull())
      .addColumn('pause', int, (c) => c.notNull())
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('lease', text)
      .addColumn('lease_until', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('push_subscription_pk', ['account', 'id']),
    { clustered: true },
  )
  run(schema.createIndex('push_subscription_due').on('push_subscription').columns(['due_at', 'account', 'id']))
  run(schema.createIndex('push_subscription_organization').on('push_subscription').columns(['organization', 'account']))
}
