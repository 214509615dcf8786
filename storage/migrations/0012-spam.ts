import type { Migration } from './index.ts'

/** What an organization's spam classifier has learned, of which messages, and the marks that it has still to learn from. */
export const spam: Migration = ({ schema, column, run }) => {
  const { int, text, bytes } = column
  run(
    schema
      .createTable('spam_mark')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('email', int, (c) => c.notNull())
      .addColumn('blob', int, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('number', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('spam_mark_pk', ['account', 'email']),
    { clustered: true },
  )
  run(
    schema
      .createTable('spam_learned')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('hash', bytes, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('day', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('spam_learned_pk', ['account', 'hash']),
    { clustered: true },
  )
  run(
    schema
      .createTable('spam_token')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('token', int, (c) => c.notNull())
      .addColumn('spam', int, (c) => c.notNull())
      .addColumn('ham', int, (c) => c.notNull())
      .addColumn('day', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('spam_token_pk', ['account', 'token']),
    { clustered: true },
  )
  run(
    schema
      .createTable('spam_total')
      .addColumn('account', int, (c) => c.notNull().primaryKey())
      .addColumn('spam', int, (c) => c.notNull())
      .addColumn('ham', int, (c) => c.notNull())
      .addColumn('version', int, (c) => c.notNull()),
  )
}
