import type { Migration } from './index.ts'

/** What came back about messages that were sent: delivery status notifications and read receipts (RFC 8621 7). */
export const submissionReports: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(schema.alterTable('submission').addColumn('message_id', text))
  run(schema.createIndex('submission_message_id').on('submission').columns(['account', 'message_id']))
  run(schema.alterTable('submission_recipient').addColumn('delivered', text))
  run(schema.alterTable('submission_recipient').addColumn('displayed', int, (c) => c.notNull().defaultTo(0)))
  run(
    schema
      .createTable('submission_report')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('submission', int, (c) => c.notNull())
      .addColumn('position', int, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('blob', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('submission_report_pk', ['account', 'submission', 'position']),
    { clustered: true },
  )
  run(schema.createIndex('submission_report_blob').on('submission_report').columns(['account', 'blob']))
}
