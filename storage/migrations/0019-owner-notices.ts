import type { Migration } from './index.ts'

/** What the owner of an organization has been told in a period, so that it is told once. */
export const ownerNotices: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('owner_notice')
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('period', text, (c) => c.notNull())
      .addColumn('notice', text, (c) => c.notNull())
      .addColumn('told_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('owner_notice_pk', ['organization', 'period', 'notice']),
    { clustered: true },
  )
}
