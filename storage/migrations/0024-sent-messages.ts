import { sql } from 'kysely'
import type { Migration } from './index.ts'

/**
 * What was sent, as an organization looks it up: in the order of time over all its mailboxes, by tag, what has not gone out; and what
 * is kept of a message whose copy in the mailbox was deleted (decisions D14, D29).
 */
export const sentMessages: Migration = ({ schema, column, run, raw }) => {
  const { int, text } = column
  const submission = () => schema.alterTable('submission')
  run(submission().addColumn('organization', int, (c) => c.notNull().defaultTo(0)))
  run(submission().addColumn('tags', text, (c) => c.notNull().defaultTo('{}')))
  run(submission().addColumn('kept', text))
  raw('update submission set organization = (select organization from account where id = submission.account)')
  const order = ['organization', 'created_at', 'account', 'id']
  run(schema.createIndex('submission_sent').on('submission').columns(order))
  run(
    schema
      .createIndex('submission_unsent')
      .on('submission')
      .columns(order)
      .where(sql.ref('undo_status'), '<>', sql.lit('final')),
  )
  run(
    schema
      .createTable('submission_tag')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('value', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('submission', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('submission_tag_pk', [
        'organization',
        'name',
        'value',
        'created_at',
        'account',
        'submission',
      ]),
    { clustered: true },
  )
}
