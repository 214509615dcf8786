import { sql } from 'kysely'
import type { Migration } from './index.ts'

/** Which webhooks want which events, and what is delivered to them: also the queue of the deliveries. */
export const webhooks: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('webhook_subscription')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('webhook', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('webhook_subscription_pk', ['organization', 'type', 'webhook']),
    { clustered: true },
  )
  run(
    schema
      .createTable('webhook_delivery')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('webhook', int, (c) => c.notNull())
      .addColumn('id', int)
      .addColumn('event_account', int, (c) => c.notNull())
      .addColumn('event', int, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('due_at', int)
      .addColumn('lease', text)
      .addColumn('lease_until', int, (c) => c.notNull())
      .addColumn('last_status', int)
      .addColumn('last_error', text)
      .addColumn('answer', text)
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('delivered_at', int)
      .addPrimaryKeyConstraint('webhook_delivery_pk', ['account', 'number']),
  )
  const index = (name: string, columns: readonly string[]) =>
    schema
      .createIndex(`webhook_delivery_${name}`)
      .on('webhook_delivery')
      .columns([...columns])
  const isSet = (name: string) => sql<boolean>`${sql.ref(name)} is not null`
  run(index('lane', ['organization', 'webhook', 'due_at', 'account', 'number']).where(isSet('due_at')))
  run(index('due', ['due_at']).where(isSet('due_at')))
  run(index('new', ['organization', 'created_at', 'account', 'number']).where(sql<boolean>`id is null`))
  run(index('id', ['organization', 'id']).unique().where(isSet('id')))
  run(index('list', ['organization', 'webhook', 'created_at', 'id']))
}
