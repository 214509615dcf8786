import { sql } from 'kysely'
import type { Migration } from './index.ts'

/**
 * The queue of outgoing mail is a table of its own, a row for each destination of a message: destinations are tried, put off and held
 * apart from each other, and what is done leaves no trace in the index that is asked for what is due.
 */
export const outgoing: Migration = ({ schema, column, engine, run, raw }) => {
  const { int, text } = column
  run(
    schema
      .createTable('outgoing')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('submission', int, (c) => c.notNull())
      .addColumn('destination', text, (c) => c.notNull())
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('due_at', int, (c) => c.notNull())
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('lease', text)
      .addColumn('held', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('outgoing_pk', ['account', 'submission', 'destination']),
    { clustered: true },
  )
  run(
    schema
      .createIndex('outgoing_due')
      .on('outgoing')
      .columns(['due_at', 'account', 'submission', 'destination', 'organization'])
      .where(sql.ref('held'), '=', sql.lit(0)),
  )
  run(schema.alterTable('submission_recipient').addColumn('destination', text, (c) => c.notNull().defaultTo('')))
  // What stands after the last @.
  const domain =
    engine === 'postgres'
      ? `substring(address from '[^@]*$')`
      : `replace(address, rtrim(address, replace(address, '@', '')), '')`
  raw(`update submission_recipient set destination = lower(${domain})`)
  raw(`insert into outgoing (account, submission, destination, organization, due_at, attempts, lease, held)
    select distinct s.account, s.id, r.destination, a.organization, s.due_at, s.attempts, null, 0
    from submission s join submission_recipient r on r.account = s.account and r.submission = s.id
    join account a on a.id = s.account where s.due_at is not null and r.status = 'open'`)
  run(schema.dropIndex('submission_due'))
  run(schema.dropIndex('submission_lease'))
  for (const gone of ['lease', 'lease_until', 'attempts']) run(schema.alterTable('submission').dropColumn(gone))
}
