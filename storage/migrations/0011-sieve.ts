import type { Migration } from './index.ts'

/** Sieve scripts of accounts (RFC 9661), and which one runs. */
export const sieve: Migration = ({ schema, column, run }) => {
  const { int, text } = column
  run(
    schema
      .createTable('sieve_script')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('blob', int, (c) => c.notNull())
      .addColumn('is_active', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('sieve_script_pk', ['account', 'id']),
    { clustered: true },
  )
  run(schema.createIndex('sieve_script_blob').on('sieve_script').columns(['account', 'blob']))
}
